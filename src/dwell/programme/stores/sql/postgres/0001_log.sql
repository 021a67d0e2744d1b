create table dwell_programme (
    id bigint generated always as identity primary key,
    name text not null unique
);

create table dwell_event (
    programme bigint not null references dwell_programme,
    position bigint not null,
    key text,
    body json not null,
    primary key (programme, position)
);

create unique index dwell_event_key on dwell_event (programme, key) where key is not null;
