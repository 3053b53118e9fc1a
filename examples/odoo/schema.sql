-- Tables of Odoo 17 on PostgreSQL, with the columns that the mapping reads and a few more. Texts that
-- can be translated are JSON by language. Times are in UTC and have no offset.

create table res_country (id serial primary key, name jsonb not null, code varchar(2) not null);
create table res_currency (id serial primary key, name varchar not null);
create table account_incoterms (id serial primary key, name jsonb not null, code varchar(3) not null);

create table res_partner (
  id serial primary key,
  name varchar, ref varchar, vat varchar, website varchar, type varchar default 'contact',
  is_company boolean default false, parent_id integer references res_partner, commercial_partner_id integer,
  supplier_rank integer default 0, customer_rank integer default 0,
  street varchar, street2 varchar, city varchar, zip varchar, country_id integer references res_country,
  email varchar, phone varchar, mobile varchar, function varchar, active boolean default true,
  create_date timestamp, write_date timestamp
);

create table product_category (
  id serial primary key,
  name varchar not null, complete_name varchar, parent_id integer references product_category, parent_path varchar
);

create table product_template (
  id serial primary key,
  name jsonb not null, default_code varchar, categ_id integer references product_category, type varchar not null,
  list_price numeric, purchase_ok boolean, active boolean default true, write_date timestamp
);

create table product_product (
  id serial primary key,
  product_tmpl_id integer not null references product_template, default_code varchar, barcode varchar,
  weight numeric, active boolean default true, write_date timestamp
);

create table product_attribute (id serial primary key, name jsonb not null, sequence integer);
create table product_attribute_value (
  id serial primary key, attribute_id integer not null references product_attribute, name jsonb not null, sequence integer
);
create table product_template_attribute_value (
  id serial primary key,
  product_tmpl_id integer references product_template, attribute_id integer references product_attribute,
  product_attribute_value_id integer not null references product_attribute_value
);
create table product_variant_combination (
  product_product_id integer references product_product,
  product_template_attribute_value_id integer references product_template_attribute_value,
  primary key (product_product_id, product_template_attribute_value_id)
);

create table stock_warehouse (
  id serial primary key, name varchar not null, code varchar(5) not null,
  partner_id integer references res_partner, active boolean default true, write_date timestamp
);
create table stock_location (
  id serial primary key, name varchar not null, complete_name varchar, usage varchar not null,
  warehouse_id integer references stock_warehouse
);
create table stock_picking_type (
  id serial primary key, name jsonb not null, code varchar not null, warehouse_id integer references stock_warehouse
);

create table purchase_order (
  id serial primary key,
  name varchar not null, partner_id integer not null references res_partner, partner_ref varchar,
  currency_id integer not null references res_currency, state varchar, receipt_status varchar,
  date_order timestamp not null, date_approve timestamp, date_planned timestamp,
  incoterm_id integer references account_incoterms, incoterm_location varchar,
  picking_type_id integer references stock_picking_type,
  amount_untaxed numeric, amount_tax numeric, amount_total numeric, notes text, write_date timestamp
);
create table purchase_order_line (
  id serial primary key,
  order_id integer not null references purchase_order, sequence integer default 10, display_type varchar,
  product_id integer references product_product, name text not null, date_planned timestamp,
  product_qty numeric not null default 0, product_uom_qty double precision default 0,
  price_unit numeric not null default 0, discount numeric default 0, price_subtotal numeric, price_total numeric,
  qty_received numeric, qty_invoiced numeric, write_date timestamp
);

create table stock_picking (
  id serial primary key,
  name varchar, origin varchar, partner_id integer references res_partner, state varchar,
  picking_type_id integer references stock_picking_type, scheduled_date timestamp, date_done timestamp,
  write_date timestamp
);
create table stock_move (
  id serial primary key,
  picking_id integer references stock_picking, picking_type_id integer references stock_picking_type,
  product_id integer not null references product_product, product_uom_qty numeric not null, quantity numeric,
  state varchar, purchase_line_id integer references purchase_order_line, write_date timestamp
);
create table stock_quant (
  id serial primary key,
  product_id integer not null references product_product, location_id integer not null references stock_location,
  lot_id integer, quantity numeric, reserved_quantity numeric not null default 0, write_date timestamp
);

create table account_move (
  id serial primary key,
  name varchar, ref varchar, move_type varchar not null, state varchar not null, payment_state varchar,
  partner_id integer references res_partner, date date not null, invoice_date date, invoice_date_due date,
  currency_id integer not null references res_currency,
  amount_untaxed numeric, amount_tax numeric, amount_total numeric, amount_residual numeric, write_date timestamp
);
create table account_payment (
  id serial primary key,
  move_id integer not null references account_move, payment_type varchar not null, partner_type varchar not null,
  partner_id integer references res_partner, amount numeric, currency_id integer references res_currency,
  write_date timestamp
);
create table account_move_line (
  id serial primary key,
  move_id integer not null references account_move, sequence integer, display_type varchar not null,
  product_id integer references product_product, name varchar, quantity numeric, price_unit numeric,
  price_subtotal numeric, price_total numeric, purchase_line_id integer references purchase_order_line,
  payment_id integer references account_payment, write_date timestamp
);
create table account_partial_reconcile (
  id serial primary key,
  debit_move_id integer not null references account_move_line,
  credit_move_id integer not null references account_move_line,
  amount numeric, debit_amount_currency numeric, credit_amount_currency numeric, max_date date
);
