-- name: versions
create table if not exists dwell_migration (number integer primary key);

-- name: lock
select pg_advisory_xact_lock(hashtext('dwell_migration'));

-- name: version
select coalesce(max(number), 0) from dwell_migration;

-- name: migrated
insert into dwell_migration (number) values (%(number)s);

-- name: names
select name from dwell_programme order by name collate "C";

-- name: create
insert into dwell_programme (name) values (%(name)s) on conflict do nothing;

-- name: position
select coalesce(max(position), 0)
from dwell_event join dwell_programme on id = programme
where name = %(name)s;

-- name: wait
select set_config('lock_timeout', %(milliseconds)s::text, false);

-- name: queue
select pg_advisory_xact_lock(hashtext('dwell_programme'), hashtext(%(name)s));

-- name: append
-- Whoever appends waits for those who write to the same log. What they wrote is not seen by this
-- statement, which began before: then the primary key refuses it.
with queue as materialized (
    select pg_advisory_xact_lock(hashtext('dwell_programme'), hashtext(%(name)s))
)
insert into dwell_event (programme, position, key, body)
select id, %(after)s + place, key, body::json
from queue, dwell_programme, unnest(%(keys)s::text[], %(bodies)s::text[]) with ordinality
    as entry (key, body, place)
where name = %(name)s and %(after)s = (
    select coalesce(max(position), 0) from dwell_event where programme = id
);

-- name: keep
insert into dwell_snapshot (programme, position, body)
select id, %(position)s, %(body)s::json from dwell_programme where name = %(name)s
on conflict (programme) do update set position = excluded.position, body = excluded.body;

-- name: latest
select position, body::text
from dwell_snapshot join dwell_programme on id = programme
where name = %(name)s;

-- name: read
select body::text
from dwell_event join dwell_programme on id = programme
where name = %(name)s and position > %(after)s
order by position limit %(most)s;

-- name: find
select body::text
from dwell_event join dwell_programme on id = programme
where name = %(name)s and key = %(key)s;
