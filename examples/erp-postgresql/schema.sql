-- A small ERP: what a purchasing department works with. Keys are its own numbers.

create table company (
  code varchar(8) primary key,
  name varchar(60) not null,
  country char(2) not null,
  currency char(3) not null
);

create table vendors (
  vendor_no varchar(10) primary key,
  name varchar(80) not null,
  country char(2) not null,
  currency char(3) not null,
  lead_time_weeks integer,
  status char(1) not null,                -- A active, B blocked, N new
  approved_on date,
  changed_at timestamptz not null default now()
);

create table warehouses (
  whs_code varchar(8) primary key,
  name varchar(60) not null,
  street varchar(80),
  city varchar(40) not null,
  country char(2) not null,
  changed_at timestamptz not null default now()
);

create table items (
  item_no varchar(20) primary key,
  style_no varchar(12) not null,
  style_name varchar(80) not null,
  colour_code char(3) not null,
  colour_name varchar(40) not null,
  size varchar(8) not null,
  ean varchar(13),
  weight_g numeric(10, 1),
  vendor_no varchar(10) references vendors,
  discontinued boolean not null default false,
  changed_at timestamptz not null default now()
);

create table purchase_orders (
  po_no varchar(12) primary key,
  vendor_no varchar(10) not null references vendors,
  order_date date not null,
  currency char(3) not null,
  incoterm char(3),
  ship_to varchar(8) references warehouses,
  requested_date date,
  confirmed_at timestamptz,
  status varchar(10) not null,            -- NEW, SENT, CONF, RECV, CANC
  note text,
  changed_at timestamptz not null default now()
);

create table po_lines (
  po_no varchar(12) not null references purchase_orders,
  line_no integer not null,
  item_no varchar(20) not null references items,
  qty integer not null,
  unit_price numeric(12, 4) not null,
  cancelled boolean not null default false,
  changed_at timestamptz not null default now(),
  primary key (po_no, line_no)
);

create table receipts (
  receipt_no varchar(12) primary key,
  whs_code varchar(8) not null references warehouses,
  delivery_note varchar(30),
  posted_at timestamptz,
  changed_at timestamptz not null default now()
);

create table receipt_lines (
  receipt_no varchar(12) not null references receipts,
  line_no integer not null,
  po_no varchar(12) not null,
  po_line_no integer not null,
  qty_received integer not null,
  qty_damaged integer not null default 0,
  changed_at timestamptz not null default now(),
  primary key (receipt_no, line_no),
  foreign key (po_no, po_line_no) references po_lines
);

create table invoices (
  vendor_no varchar(10) not null references vendors,
  inv_no varchar(20) not null,            -- the vendor's own number
  po_no varchar(12) references purchase_orders,
  inv_date date not null,
  due_date date,
  currency char(3) not null,
  tax_percent numeric(5, 2) not null default 0,
  approved boolean not null default false,
  changed_at timestamptz not null default now(),
  primary key (vendor_no, inv_no)
);

create table invoice_lines (
  vendor_no varchar(10) not null,
  inv_no varchar(20) not null,
  line_no integer not null,
  po_no varchar(12),
  po_line_no integer,
  description varchar(120) not null,
  qty integer not null,
  unit_price numeric(12, 4) not null,
  changed_at timestamptz not null default now(),
  primary key (vendor_no, inv_no, line_no),
  foreign key (vendor_no, inv_no) references invoices,
  foreign key (po_no, po_line_no) references po_lines
);

-- Every change of a row is noticed by its time, and every deletion by a log.

create table deleted_rows (
  table_name varchar(40) not null,
  key_1 varchar(20) not null,
  key_2 varchar(20),
  deleted_at timestamptz not null default now()
);

create function touch() returns trigger language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end $$;

create function log_line_deletion() returns trigger language plpgsql as $$
begin
  insert into deleted_rows (table_name, key_1, key_2) values ('po_lines', old.po_no, old.line_no);
  -- The total of the order changes too.
  update purchase_orders set changed_at = clock_timestamp() where po_no = old.po_no;
  return old;
end $$;

create trigger touch before update on vendors for each row execute function touch();
create trigger touch before update on warehouses for each row execute function touch();
create trigger touch before update on items for each row execute function touch();
create trigger touch before update on purchase_orders for each row execute function touch();
create trigger touch before update on po_lines for each row execute function touch();
create trigger touch before update on receipts for each row execute function touch();
create trigger touch before update on receipt_lines for each row execute function touch();
create trigger touch before update on invoices for each row execute function touch();
create trigger touch before update on invoice_lines for each row execute function touch();
create trigger log_deletion after delete on po_lines for each row execute function log_line_deletion();

create index on vendors (changed_at);
create index on items (changed_at);
create index on purchase_orders (changed_at);
create index on po_lines (changed_at);
create index on receipt_lines (changed_at);
create index on invoices (changed_at);
create index on invoice_lines (changed_at);
