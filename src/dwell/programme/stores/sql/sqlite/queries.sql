-- name: names
select name from programme order by name;

-- name: programme
select id from programme where name = :name;

-- name: create
insert into programme (name) values (:name) returning id;

-- name: position
select coalesce(max(position), 0) from event where programme = :programme;

-- name: append
-- The primary key refuses a position that is taken, the index a key.
insert into event (programme, position, key, body) values (?, ?, ?, ?);

-- name: keep
insert or replace into snapshot (programme, position, body) values (:programme, :position, :body);

-- name: latest
select position, body from snapshot where programme = :programme;

-- name: read
select body from event
where programme = :programme and position > :after
order by position limit :most;

-- name: find
select body from event where programme = :programme and key = :key;
