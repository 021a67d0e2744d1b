create table snapshot (
    programme integer primary key references programme,
    position integer not null,
    body text not null
) strict;
