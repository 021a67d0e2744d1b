-- By rows: where a table is its own primary key, whoever looks for the end of a log may meet a long
-- body half-way, and SQLite then reads all of that. The first event of a log may be long.
create table event_row (
    programme integer not null references programme,
    position integer not null,
    key text,
    body text not null,
    primary key (programme, position)
) strict;

insert into event_row (programme, position, key, body)
select programme, position, key, body from event order by programme, position;

drop table event;

alter table event_row rename to event;

create unique index event_key on event (programme, key) where key is not null;
