-- Tables of ERPNext 15 on MariaDB, with the columns that the mapping reads and a few more. A table of
-- ERPNext is called after its document type; `name` is its key. `docstatus` is 0 for a draft, 1 for
-- a submitted document, 2 for a cancelled one. Times have no offset: they are those of the site.

create table `tabSupplier` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  supplier_name varchar(140), supplier_group varchar(140), supplier_type varchar(140) default 'Company',
  country varchar(140), default_currency varchar(140), tax_id varchar(140), website varchar(140),
  email_id varchar(140), mobile_no varchar(140),
  is_transporter tinyint not null default 0,
  on_hold tinyint not null default 0, disabled tinyint not null default 0
);

create table `tabContact` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6),
  first_name varchar(140), last_name varchar(140), designation varchar(140),
  email_id varchar(140), phone varchar(140), mobile_no varchar(140),
  is_primary_contact tinyint not null default 0
);

create table `tabDynamic Link` (
  name varchar(140) primary key,
  parent varchar(140), parenttype varchar(140), idx int not null default 0,
  link_doctype varchar(140), link_name varchar(140)
);

create table `tabItem Group` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6),
  item_group_name varchar(140), parent_item_group varchar(140),
  is_group tinyint not null default 0, lft int not null, rgt int not null
);

create table `tabItem` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6),
  item_code varchar(140), item_name varchar(140), item_group varchar(140), description longtext,
  stock_uom varchar(140), is_stock_item tinyint not null default 1, is_purchase_item tinyint not null default 1,
  has_variants tinyint not null default 0, variant_of varchar(140),
  weight_per_unit decimal(21, 9) not null default 0, weight_uom varchar(140),
  country_of_origin varchar(140), customs_tariff_number varchar(140),
  disabled tinyint not null default 0
);

create table `tabItem Barcode` (
  name varchar(140) primary key,
  parent varchar(140), idx int not null default 0, barcode varchar(140) unique, barcode_type varchar(140)
);

create table `tabItem Attribute Value` (
  name varchar(140) primary key,
  parent varchar(140), idx int not null default 0, attribute_value varchar(140), abbr varchar(140)
);

create table `tabItem Variant Attribute` (
  name varchar(140) primary key,
  parent varchar(140), idx int not null default 0, variant_of varchar(140),
  attribute varchar(140), attribute_value varchar(140)
);

create table `tabItem Price` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6),
  item_code varchar(140), price_list varchar(140), price_list_rate decimal(21, 9) not null default 0,
  currency varchar(140), buying tinyint not null default 0, selling tinyint not null default 0,
  supplier varchar(140), valid_from date, valid_upto date
);

create table `tabWarehouse` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6),
  warehouse_name varchar(140), company varchar(140), parent_warehouse varchar(140),
  is_group tinyint not null default 0, disabled tinyint not null default 0,
  address_line_1 varchar(140), address_line_2 varchar(140), city varchar(140), state varchar(140), pin varchar(140)
);

create table `tabPurchase Order` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  supplier varchar(140), company varchar(140), transaction_date date, schedule_date date,
  order_confirmation_no varchar(140), order_confirmation_date date,
  currency varchar(140), conversion_rate decimal(21, 9), incoterm varchar(140), named_place varchar(140),
  set_warehouse varchar(140), total_qty decimal(21, 9), total decimal(21, 9), grand_total decimal(21, 9),
  status varchar(140), per_received decimal(21, 9) not null default 0, per_billed decimal(21, 9) not null default 0
);

create table `tabPurchase Order Item` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  parent varchar(140), idx int not null, item_code varchar(140), item_name varchar(140), schedule_date date,
  qty decimal(21, 9), uom varchar(140), conversion_factor decimal(21, 9), stock_uom varchar(140),
  stock_qty decimal(21, 9), rate decimal(21, 9), stock_uom_rate decimal(21, 9), amount decimal(21, 9),
  warehouse varchar(140)
);

create table `tabPurchase Receipt` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  supplier varchar(140), supplier_delivery_note varchar(140), posting_date date, posting_time time(6),
  set_warehouse varchar(140), is_return tinyint not null default 0, status varchar(140)
);

create table `tabPurchase Receipt Item` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  parent varchar(140), idx int not null, item_code varchar(140), received_qty decimal(21, 9),
  qty decimal(21, 9), rejected_qty decimal(21, 9) not null default 0, conversion_factor decimal(21, 9),
  received_stock_qty decimal(21, 9), warehouse varchar(140),
  purchase_order varchar(140), purchase_order_item varchar(140)
);

create table `tabBin` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6),
  item_code varchar(140), warehouse varchar(140), actual_qty decimal(21, 9) not null default 0,
  reserved_qty decimal(21, 9) not null default 0, reserved_stock decimal(21, 9) not null default 0,
  ordered_qty decimal(21, 9) not null default 0, valuation_rate decimal(21, 9) not null default 0,
  unique key (item_code, warehouse)
);

create table `tabPurchase Invoice` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  supplier varchar(140), bill_no varchar(140), bill_date date, posting_date date, due_date date,
  currency varchar(140), conversion_rate decimal(21, 9), is_return tinyint not null default 0,
  net_total decimal(21, 9), total_taxes_and_charges decimal(21, 9), grand_total decimal(21, 9),
  outstanding_amount decimal(21, 9), status varchar(140)
);

create table `tabPurchase Invoice Item` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  parent varchar(140), idx int not null, item_code varchar(140), item_name varchar(140), description longtext,
  qty decimal(21, 9), stock_qty decimal(21, 9), rate decimal(21, 9), stock_uom_rate decimal(21, 9),
  amount decimal(21, 9), net_amount decimal(21, 9),
  purchase_order varchar(140), po_detail varchar(140)
);

create table `tabPurchase Taxes and Charges` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  parent varchar(140), parenttype varchar(140), idx int not null, description text,
  rate decimal(21, 9) not null default 0, tax_amount decimal(21, 9) not null default 0
);

create table `tabPayment Entry` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  payment_type varchar(140), party_type varchar(140), party varchar(140), posting_date date,
  mode_of_payment varchar(140), reference_no varchar(140),
  paid_amount decimal(21, 9), paid_from_account_currency varchar(140),
  received_amount decimal(21, 9), paid_to_account_currency varchar(140), remarks text
);

create table `tabPayment Entry Reference` (
  name varchar(140) primary key,
  creation datetime(6), modified datetime(6), docstatus tinyint not null default 0,
  parent varchar(140), idx int not null, reference_doctype varchar(140), reference_name varchar(140),
  allocated_amount decimal(21, 9)
);
