create table dwell_snapshot (
    programme bigint primary key references dwell_programme,
    position bigint not null,
    body json not null
);
