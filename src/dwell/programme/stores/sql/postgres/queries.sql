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
insert into dwell_programme (name) select unnest(%(names)b::text[]) on conflict do nothing;

-- name: positions
select name, (select coalesce(max(position), 0) from dwell_event where programme = id)
from dwell_programme where name = any (%(names)b);

-- name: wait
select set_config('lock_timeout', %(milliseconds)s::text, false);

-- name: begin
begin;

-- name: commit
commit;

-- name: queue
-- In an order that all keep to, so that no two wait for one another.
select pg_advisory_xact_lock(hashtext('dwell_programme'), hash)
from (
    select distinct hashtext(name) as hash from unnest(%(names)b::text[]) as name order by hash
) as queue;

-- name: append
-- Whoever appends waits for those who write to the same logs. What they wrote is not seen by this
-- statement, which began before: then the primary key refuses it. A log that has another length is
-- refused by a division by zero, and one that is not there as it is null. Texts go as they are (b):
-- to quote them takes longer than to send them.
with queue as materialized (
    select pg_advisory_xact_lock(hashtext('dwell_programme'), hash) as turn
    from (
        select distinct hashtext(name) as hash from unnest(%(logs)b::text[]) as name order by hash
    ) as logs
), log as materialized (
    select id, name, (
        select coalesce(max(position), 0) from dwell_event where programme = id
    ) as last
    from (select count(turn) from queue) as queued, dwell_programme
    where name = any (%(logs)b)
)
insert into dwell_event (programme, position, key, body)
select id, position / (last = after)::integer, key, body::json
from log right join unnest(
    %(logs)b::text[], %(afters)s::bigint[], %(positions)s::bigint[],
    %(keys)b::text[], %(bodies)b::text[]
) as entry (name, after, position, key, body) using (name);

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

-- name: news
select name, body::text
from unnest(%(names)b::text[], %(afters)s::bigint[]) as seen (name, after)
join dwell_programme using (name)
cross join lateral (
    select position, body from dwell_event
    where programme = id and position > after order by position limit %(most)s
) as entry
order by name, position;

-- name: find
select body::text
from dwell_event join dwell_programme on id = programme
where name = %(name)s and key = %(key)s;
