create table auth_user (id serial primary key, password varchar(128) not null, last_login timestamptz, is_superuser boolean not null, username varchar(150) not null unique, first_name varchar(150) not null, last_name varchar(150) not null, email varchar(254) not null, is_staff boolean not null, is_active boolean not null, date_joined timestamptz not null);
create table common_inventreesetting (id serial primary key, value varchar(2000) not null, key varchar(50) not null unique);
create table common_projectcode (id serial primary key, code varchar(50) not null unique, description varchar(200) not null, metadata jsonb);
create table django_migrations (id serial primary key, app varchar(255) not null, name varchar(255) not null, applied timestamptz not null);
create table company_company (
  id serial primary key, metadata jsonb, notes text, barcode_data varchar(500) not null default '', barcode_hash varchar(128) not null default '', name varchar(100) not null,
  description varchar(500) not null, website varchar(2000) not null, phone varchar(50) not null, email varchar(254), contact varchar(100) not null, link varchar(2000) not null,
  image varchar(100), active boolean not null, is_customer boolean not null, is_supplier boolean not null, is_manufacturer boolean not null, currency varchar(3) not null, tax_id varchar(50) not null
);
create table company_contact (id serial primary key, metadata jsonb, company_id integer not null references company_company, name varchar(100) not null, phone varchar(100) not null, email varchar(254) not null, role varchar(100) not null);
create table company_address (
  id serial primary key, company_id integer not null references company_company, title varchar(100) not null, "primary" boolean not null, line1 varchar(50) not null, line2 varchar(50) not null,
  postal_code varchar(10) not null, postal_city varchar(50) not null, province varchar(50) not null, country varchar(50) not null, shipping_notes varchar(100) not null, internal_shipping_notes varchar(100) not null, link varchar(2000) not null
);
create table stock_stocklocationtype (id serial primary key, metadata jsonb, name varchar(100) not null, description varchar(250) not null, icon varchar(100) not null);
create table stock_stocklocation (
  id serial primary key, metadata jsonb, name varchar(100) not null, description varchar(250) not null, pathstring varchar(250) not null, parent_id integer references stock_stocklocation,
  custom_icon varchar(100) not null, structural boolean not null, external boolean not null, location_type_id integer references stock_stocklocationtype, lft integer not null, rght integer not null, tree_id integer not null, level integer not null
);
create table part_partcategory (
  id serial primary key, metadata jsonb, name varchar(100) not null, description varchar(250) not null, pathstring varchar(250) not null, parent_id integer references part_partcategory,
  default_location_id integer references stock_stocklocation, structural boolean not null, default_keywords varchar(250), lft integer not null, rght integer not null, tree_id integer not null, level integer not null
);
create table part_part (
  id serial primary key, metadata jsonb, notes text, name varchar(100) not null, is_template boolean not null, variant_of_id integer references part_part, description varchar(250) not null, keywords varchar(250),
  category_id integer references part_partcategory, "IPN" varchar(100), revision varchar(100), revision_of_id integer references part_part, link varchar(2000), image varchar(100) not null,
  default_location_id integer references stock_stocklocation, default_expiry integer not null, minimum_stock numeric(19, 6) not null, maximum_stock numeric(19, 6) not null, units varchar(20), assembly boolean not null,
  component boolean not null, trackable boolean not null, testable boolean not null, purchaseable boolean not null, salable boolean not null, active boolean not null, locked boolean not null, virtual boolean not null,
  creation_date date, creation_user_id integer references auth_user, base_cost numeric(19, 6) not null, multiple integer not null
);
create table part_bomitem (id serial primary key, part_id integer not null references part_part, sub_part_id integer not null references part_part, quantity numeric(15, 5) not null, optional boolean not null, consumable boolean not null, reference varchar(5000) not null, note varchar(500) not null, inherited boolean not null, allow_variants boolean not null);
create table company_manufacturerpart (id serial primary key, part_id integer not null references part_part, manufacturer_id integer references company_company, "MPN" varchar(100), link varchar(2000), description varchar(250));
create table company_supplierpart (
  id serial primary key, metadata jsonb, part_id integer not null references part_part, supplier_id integer not null references company_company, "SKU" varchar(100) not null, active boolean not null, "primary" boolean not null,
  manufacturer_part_id integer references company_manufacturerpart, link varchar(2000), description varchar(250), note varchar(100), base_cost numeric(10, 3) not null, packaging varchar(50), pack_quantity varchar(25) not null,
  pack_quantity_native numeric(20, 10), multiple integer not null, available numeric(10, 3) not null, availability_updated timestamptz, updated timestamptz, unique (part_id, supplier_id, "SKU")
);
create table company_supplierpricebreak (id serial primary key, quantity numeric(15, 5) not null, price_currency varchar(3) not null, price numeric(19, 6), updated timestamptz, part_id integer not null references company_supplierpart);
create table order_purchaseorder (
  id serial primary key, metadata jsonb, notes text, reference varchar(64) not null unique, reference_int bigint not null, description varchar(250) not null, project_code_id integer references common_projectcode, link varchar(2000) not null,
  start_date date, target_date date, creation_date date, created_by_id integer references auth_user, issue_date date, updated_at timestamptz, contact_id integer references company_contact, address_id integer references company_address,
  status integer not null, status_custom_key integer, supplier_id integer references company_company, supplier_reference varchar(64) not null, received_by_id integer references auth_user, complete_date date,
  destination_id integer references stock_stocklocation, total_price numeric(19, 6), total_price_currency varchar(3), order_currency varchar(3)
);
create table order_purchaseorderlineitem (
  id serial primary key, metadata jsonb, quantity numeric(15, 5) not null, discount numeric(5, 2) not null default 0, line varchar(20) not null default '', reference varchar(100) not null, notes varchar(500) not null, link varchar(2000) not null, target_date date,
  order_id integer not null references order_purchaseorder, part_id integer references company_supplierpart, received numeric(15, 5) not null, purchase_price numeric(19, 6), purchase_price_currency varchar(3), destination_id integer references stock_stocklocation
);
create table order_purchaseorderextraline (id serial primary key, quantity numeric(15, 5) not null, reference varchar(100) not null, notes varchar(500) not null, price numeric(19, 6), price_currency varchar(3), order_id integer not null references order_purchaseorder);
create table order_salesorder (
  id serial primary key, metadata jsonb, notes text, reference varchar(64) not null unique, reference_int bigint not null, description varchar(250) not null, target_date date, creation_date date, issue_date date, status integer not null,
  customer_id integer references company_company, customer_reference varchar(64) not null, shipment_date date, total_price numeric(19, 6), total_price_currency varchar(3), order_currency varchar(3)
);
create table order_salesorderlineitem (id serial primary key, quantity numeric(15, 5) not null, reference varchar(100) not null, notes varchar(500) not null, order_id integer not null references order_salesorder, part_id integer references part_part, sale_price numeric(19, 6), sale_price_currency varchar(3), shipped numeric(15, 5) not null);
create table order_salesordershipment (id serial primary key, order_id integer not null references order_salesorder, shipment_date date, delivery_date date, reference varchar(100) not null, tracking_number varchar(100) not null, invoice_number varchar(100) not null);
create table build_build (id serial primary key, reference varchar(64) not null unique, title varchar(100) not null, part_id integer not null references part_part, quantity integer not null, completed integer not null, status integer not null, creation_date date not null, target_date date);
create table stock_stockitem (
  id serial primary key, metadata jsonb, notes text, barcode_data varchar(500) not null default '', parent_id integer references stock_stockitem, part_id integer not null references part_part, supplier_part_id integer references company_supplierpart,
  location_id integer references stock_stocklocation, packaging varchar(50), customer_id integer references company_company, serial varchar(100), batch varchar(100), quantity numeric(15, 5) not null, build_id integer references build_build,
  is_building boolean not null, purchase_order_id integer references order_purchaseorder, sales_order_id integer references order_salesorder, expiry_date date, stocktake_date date, creation_date timestamptz, updated timestamptz, delete_on_deplete boolean not null,
  status integer not null, purchase_price numeric(19, 6), purchase_price_currency varchar(3), lft integer not null, rght integer not null, tree_id integer not null, level integer not null
);
create table stock_stockitemtracking (id serial primary key, tracking_type integer not null, item_id integer references stock_stockitem, part_id integer references part_part, date timestamptz not null, notes varchar(512), user_id integer references auth_user, deltas jsonb);

insert into auth_user (password, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined) select 'argon2$' || md5(n::text), n = 1, 'user' || n, first_name, last_name, 'user' || n || '@lab.example', true, true, now() - interval '900 days' from sample.customers() where n <= 8;
insert into common_inventreesetting (key, value) values ('INVENTREE_INSTANCE', 'Café Électronique'), ('INVENTREE_DEFAULT_CURRENCY', 'EUR'), ('PURCHASEORDER_REFERENCE_PATTERN', 'PO-{ref:04d}');
insert into common_projectcode (code, description) values ('PRJ-1', 'Wetterstation'), ('PRJ-2', 'Synthétiseur');
insert into django_migrations (app, name, applied) select 'order', '00' || 10 + n || '_auto', now() - n * interval '5 days' from generate_series(1, 25) n;
insert into company_company (name, description, website, phone, email, contact, link, active, is_customer, is_supplier, is_manufacturer, currency, tax_id, notes)
  select name, sample.pick(n, 'Electronic components', 'Gehäuse und Kabel', 'Connecteurs', ''), case when n % 3 > 0 then 'https://www.' || domain else '' end, phone, case when n % 5 > 0 then 'orders@' || domain end, first_name || ' ' || last_name, '', n % 9 <> 0, false, true, n % 4 = 0, currency, coalesce(vat, ''), case when n % 6 = 0 then 'Min. order: 50' end from sample.companies();
insert into company_company (name, description, website, phone, email, contact, link, active, is_customer, is_supplier, is_manufacturer, currency, tax_id) select name, '', '', '', null, first_name, '', true, true, false, false, 'EUR', '' from sample.customers() where n <= 18;
insert into company_company (name, description, website, phone, email, contact, link, active, is_customer, is_supplier, is_manufacturer, currency, tax_id) select sample.pick(n, 'Würth Elektronik', 'Murata 村田製作所', 'Panasonic', 'STMicroelectronics'), 'Manufacturer', '', '', null, '', '', true, false, false, true, 'USD', '' from generate_series(0, 3) n;
insert into company_contact (company_id, name, phone, email, role) select n, first_name || ' ' || last_name, phone, 'sales' || n || '@' || domain, title from sample.companies();
insert into company_contact (company_id, name, phone, email, role) select n, 'Accounts ' || n, '', 'invoice@' || domain, 'Accounting' from sample.companies() where n % 3 = 0;
insert into company_address (company_id, title, "primary", line1, line2, postal_code, postal_city, province, country, shipping_notes, internal_shipping_notes, link) select n, 'Head office', true, left(number || ' ' || street, 50), case when n % 7 = 0 then 'Dock ' || n else '' end, zip, city, coalesce(region, ''), country, '', '', '' from sample.companies();
insert into stock_stocklocationtype (name, description, icon) values ('Shelf', '', ''), ('Room', '', '');
insert into stock_stocklocation (name, description, pathstring, parent_id, custom_icon, structural, external, location_type_id, lft, rght, tree_id, level) select sample.pick(n - 1, 'Lager Süd', 'Regal A', 'Regal B', 'Werkstatt', 'Zone d''expédition', 'Quarantäne'), '', sample.pick(n - 1, 'Lager Süd', 'Lager Süd/Regal A', 'Lager Süd/Regal B', 'Werkstatt', 'Zone d''expédition', 'Quarantäne'), case when n in (2, 3) then 1 end, '', n = 1, false, case when n in (2, 3) then 1 else 2 end, n, n + 1, case when n < 4 then 1 else n end, case when n in (2, 3) then 1 else 0 end from generate_series(1, 6) n;
insert into part_partcategory (name, description, pathstring, parent_id, structural, lft, rght, tree_id, level) select sample.pick(n - 1, 'Electronics', 'Resistors', 'Capacitors', 'Connectors', 'Mechanical', 'Enclosures', 'Fasteners', 'Widerstände SMD'), sample.pick(n - 1, 'All electronic parts', '', '', 'Plugs & sockets', '', '', '', ''), 'path/' || n, case when n in (2, 3, 4) then 1 when n in (6, 7) then 5 when n = 8 then 2 end, n in (1, 5), n, n + 1, 1, case when n in (1, 5) then 0 when n = 8 then 2 else 1 end from generate_series(1, 8) n;
insert into part_part (name, is_template, description, keywords, category_id, "IPN", revision, link, image, default_location_id, default_expiry, minimum_stock, maximum_stock, units, assembly, component, trackable, testable, purchaseable, salable, active, locked, virtual, creation_date, creation_user_id, base_cost, multiple, notes)
  select sample.pick(n, 'R_10K_0603', 'C_100nF_0805', 'USB-C socket', 'M3 x 10 screw', 'Gehäuse 80 × 60', 'Câble ruban', '圧電スピーカー') || case when n > 6 then '_' || n else '' end, n % 20 = 0, sample.pick(n, 'Thick film resistor 1 %', 'Ceramic capacitor', 'Board''s edge connector', 'Edelstahl A2', 'ABS, grau'), null, 2 + n % 7,
    sample.pick(n, 'RES', 'CAP', 'CON', 'MEC', 'ENC') || '-' || lpad(n::text, 5, '0'), case when n % 4 = 0 then 'B' else '' end, '', '', 1 + n % 6, 0, n % 5 * 10, 0, sample.pick(n, null, 'm', null), n % 12 = 0, true, n % 9 = 0, false, n % 10 > 0, n % 12 = 0, n % 13 > 0, false, false, current_date - 700 + n * 5, 1 + n % 8, 0, 1, null from generate_series(1, 54) n;
insert into part_bomitem (part_id, sub_part_id, quantity, optional, consumable, reference, note, inherited, allow_variants) select 12, n, n, false, false, 'R' || n, '', false, true from generate_series(1, 9) n;
insert into company_manufacturerpart (part_id, manufacturer_id, "MPN") select n, 43 + n % 4, 'GRM188R71E' || 100 + n from generate_series(1, 30) n;
insert into company_supplierpart (part_id, supplier_id, "SKU", active, "primary", manufacturer_part_id, description, base_cost, packaging, pack_quantity, pack_quantity_native, multiple, available, updated)
  select 55 - n, 1 + n * 7 % 24, sample.pick(n, '296-', '490-', 'WM') || 10000 + n * 37 || '-1-ND', n % 15 > 0, true, case when 55 - n <= 30 then 55 - n end, null, 0, sample.pick(n, 'Reel', 'Cut Tape', null), '1', 1, 1, sample.amount(n), now() - n * interval '2 days' from generate_series(1, 54) n;
insert into company_supplierpricebreak (quantity, price_currency, price, updated, part_id) select 10 * step, 'EUR', sample.price(n) / step, now() - n * interval '1 day', n from generate_series(1, 20) n, generate_series(1, 2) step;
insert into order_purchaseorder (reference, reference_int, description, link, start_date, target_date, creation_date, created_by_id, issue_date, updated_at, contact_id, address_id, status, supplier_id, supplier_reference, complete_date, destination_id, total_price, total_price_currency, order_currency, notes)
  select 'PO-' || lpad(n::text, 4, '0'), n, sample.pick(n, 'Monthly restock', 'Proto run «Wetterstation»', '', 'Ersatzteile'), '', null, current_date - 100 + n * 4, current_date - 150 + n * 4, 1 + n % 8, case when n % 8 > 0 then current_date - 148 + n * 4 end, now() - (120 - n) * interval '1 day', 1 + n * 5 % 24, 1 + n * 5 % 24,
    sample.pick(n, '10', '20', '20', '30', '30', '30', '25', '40')::int, 1 + n * 5 % 24, case when n % 2 = 0 then 'SO' || 77000 + n else '' end, case when n % 8 in (3, 4, 5) then current_date - 90 + n * 3 end, 1 + n % 6, sample.price(n) * sample.amount(n) + sample.price(n + 1) * sample.amount(n + 1), c.currency, c.currency, null
  from generate_series(1, 36) n, lateral (select currency from sample.companies() each where each.n = 1 + n.n * 5 % 24) c;
insert into order_purchaseorderlineitem (quantity, line, reference, notes, link, target_date, order_id, part_id, received, purchase_price, purchase_price_currency, destination_id)
  select sample.amount(n + line), line + 1, case when n % 4 = 0 then 'Kanban ' || n else '' end, case when n % 6 = 0 then 'please confirm lot' else '' end, '', case when n % 3 = 0 then current_date - 95 + n * 4 end, n, 1 + (n * 3 + line) % 54, case when n % 8 in (3, 4, 5) then sample.amount(n + line) else 0 end, sample.price(n + line), (select order_currency from order_purchaseorder where id = n), null from generate_series(1, 36) n, generate_series(0, 1) line;
insert into order_purchaseorderextraline (quantity, reference, notes, price, price_currency, order_id) select 1, 'Freight', '', 12.5, 'EUR', n from generate_series(1, 12) n;
insert into order_salesorder (reference, reference_int, description, target_date, creation_date, issue_date, status, customer_id, customer_reference, total_price, total_price_currency, order_currency) select 'SO-' || lpad(n::text, 4, '0'), n, 'Order ' || n, current_date + n, current_date - n * 3, current_date - n * 2, 20, 25 + n % 18, 'REF' || n, 100 + n, 'EUR', 'EUR' from generate_series(1, 30) n;
insert into order_salesorderlineitem (quantity, reference, notes, order_id, part_id, sale_price, sale_price_currency, shipped) select n, '', '', n, 1 + n % 54, 12, 'EUR', 0 from generate_series(1, 30) n;
insert into order_salesordershipment (order_id, shipment_date, reference, tracking_number, invoice_number) select n, current_date - n, '1', 'TRK' || n, '' from generate_series(1, 20) n;
insert into build_build (reference, title, part_id, quantity, completed, status, creation_date, target_date) select 'BO-' || lpad(n::text, 4, '0'), 'Build ' || n, 12, n, 0, 20, current_date - n, current_date + n from generate_series(1, 20) n;
insert into stock_stockitem (part_id, supplier_part_id, location_id, batch, serial, quantity, is_building, purchase_order_id, expiry_date, stocktake_date, creation_date, updated, delete_on_deplete, status, purchase_price, purchase_price_currency, lft, rght, tree_id, level, packaging)
  select 1 + n % 30, case when n % 3 = 0 then 54 - n % 30 end, case when n % 14 = 0 then null else 1 + n % 6 end, case when n % 4 = 0 then 'B' || 2600 + n end, null, sample.amount(n), false, case when n % 2 = 0 then 1 + n % 36 end, null, case when n % 5 = 0 then current_date - n end, now() - (200 - n) * interval '1 day', now() - (100 - n) * interval '1 day', true, sample.pick(n, '10', '10', '10', '55', '75')::int, sample.price(n), 'EUR', 1, 2, n, 0, null from generate_series(1, 60) n;
insert into stock_stockitemtracking (tracking_type, item_id, part_id, date, notes, user_id) select 1, n, 1 + n % 30, now() - n * interval '1 day', '', 1 from generate_series(1, 40) n;
