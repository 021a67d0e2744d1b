create table programme (
    id integer primary key,
    name text not null unique
) strict;

create table event (
    programme integer not null references programme,
    position integer not null,
    key text,
    body text not null,
    primary key (programme, position)
) strict, without rowid;

create unique index event_key on event (programme, key) where key is not null;
