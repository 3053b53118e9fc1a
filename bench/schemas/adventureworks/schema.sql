create domain "OrderNumber" varchar(25) null;
create domain "AccountNumber" varchar(15) null;
create domain "Flag" boolean not null;
create domain "NameStyle" boolean not null;
create domain "Name" varchar(50) null;
create domain "Phone" varchar(25) null;
create schema person;
create schema humanresources;
create schema production;
create schema purchasing;
create schema sales;

create table person.businessentity (businessentityid int primary key, rowguid uuid not null, modifieddate timestamp not null default now());
create table person.countryregion (countryregioncode varchar(3) primary key, name "Name" not null, modifieddate timestamp not null default now());
create table person.stateprovince (
  stateprovinceid int primary key,
  stateprovincecode char(3) not null,
  countryregioncode varchar(3) not null references person.countryregion,
  isonlystateprovinceflag "Flag" not null default true,
  name "Name" not null,
  territoryid int not null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table person.address (
  addressid int primary key,
  addressline1 varchar(60) not null,
  addressline2 varchar(60) null,
  city varchar(30) not null,
  stateprovinceid int not null references person.stateprovince,
  postalcode varchar(15) not null,
  spatiallocation bytea null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table person.addresstype (addresstypeid int primary key, name "Name" not null, rowguid uuid not null, modifieddate timestamp not null default now());
create table person.businessentityaddress (
  businessentityid int not null references person.businessentity,
  addressid int not null references person.address,
  addresstypeid int not null references person.addresstype,
  rowguid uuid not null,
  modifieddate timestamp not null default now(),
  primary key (businessentityid, addressid, addresstypeid)
);
create table person.person (
  businessentityid int primary key references person.businessentity,
  persontype char(2) not null,
  namestyle "NameStyle" not null default false,
  title varchar(8) null,
  firstname "Name" not null,
  middlename "Name" null,
  lastname "Name" not null,
  suffix varchar(10) null,
  emailpromotion int not null default 0,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table person.contacttype (contacttypeid int primary key, name "Name" not null, modifieddate timestamp not null default now());
create table person.businessentitycontact (
  businessentityid int not null references person.businessentity,
  personid int not null references person.person,
  contacttypeid int not null references person.contacttype,
  rowguid uuid not null,
  modifieddate timestamp not null default now(),
  primary key (businessentityid, personid, contacttypeid)
);
create table person.emailaddress (
  businessentityid int not null references person.person,
  emailaddressid int not null,
  emailaddress varchar(50) null,
  rowguid uuid not null,
  modifieddate timestamp not null default now(),
  primary key (businessentityid, emailaddressid)
);
create table humanresources.department (departmentid int primary key, name "Name" not null, groupname "Name" not null, modifieddate timestamp not null default now());
create table humanresources.employee (
  businessentityid int primary key references person.person,
  nationalidnumber varchar(15) not null,
  loginid varchar(256) not null,
  jobtitle varchar(50) not null,
  birthdate date not null,
  maritalstatus char(1) not null,
  gender char(1) not null,
  hiredate date not null,
  salariedflag "Flag" not null default true,
  vacationhours smallint not null default 0,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table production.unitmeasure (unitmeasurecode char(3) primary key, name "Name" not null, modifieddate timestamp not null default now());
create table production.productcategory (productcategoryid int primary key, name "Name" not null, rowguid uuid not null, modifieddate timestamp not null default now());
create table production.productsubcategory (
  productsubcategoryid int primary key,
  productcategoryid int not null references production.productcategory,
  name "Name" not null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table production.productmodel (productmodelid int primary key, name "Name" not null, rowguid uuid not null, modifieddate timestamp not null default now());
create table production.product (
  productid int primary key,
  name "Name" not null,
  productnumber varchar(25) not null,
  makeflag "Flag" not null default true,
  finishedgoodsflag "Flag" not null default true,
  color varchar(15) null,
  safetystocklevel smallint not null,
  reorderpoint smallint not null,
  standardcost numeric not null,
  listprice numeric not null,
  size varchar(5) null,
  sizeunitmeasurecode char(3) null references production.unitmeasure,
  weightunitmeasurecode char(3) null references production.unitmeasure,
  weight decimal(8, 2) null,
  daystomanufacture int not null,
  productline char(2) null,
  class char(2) null,
  style char(2) null,
  productsubcategoryid int null references production.productsubcategory,
  productmodelid int null references production.productmodel,
  sellstartdate timestamp not null,
  sellenddate timestamp null,
  discontinueddate timestamp null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table production.location (
  locationid int primary key,
  name "Name" not null,
  costrate numeric not null default 0,
  availability decimal(8, 2) not null default 0,
  modifieddate timestamp not null default now()
);
create table production.productinventory (
  productid int not null references production.product,
  locationid smallint not null references production.location,
  shelf varchar(10) not null,
  bin smallint not null,
  quantity smallint not null default 0,
  rowguid uuid not null,
  modifieddate timestamp not null default now(),
  primary key (productid, locationid)
);
create table production.productreview (
  productreviewid int primary key,
  productid int not null references production.product,
  reviewername "Name" not null,
  reviewdate timestamp not null default now(),
  emailaddress varchar(50) not null,
  rating int not null,
  comments varchar(3850),
  modifieddate timestamp not null default now()
);
create table production.scrapreason (scrapreasonid int primary key, name "Name" not null, modifieddate timestamp not null default now());
create table production.workorder (
  workorderid int primary key,
  productid int not null references production.product,
  orderqty int not null,
  scrappedqty smallint not null,
  startdate timestamp not null,
  enddate timestamp null,
  duedate timestamp not null,
  scrapreasonid smallint null references production.scrapreason,
  modifieddate timestamp not null default now()
);
create table production.transactionhistory (
  transactionid int primary key,
  productid int not null references production.product,
  referenceorderid int not null,
  referenceorderlineid int not null default 0,
  transactiondate timestamp not null default now(),
  transactiontype char(1) not null,
  quantity int not null,
  actualcost numeric not null,
  modifieddate timestamp not null default now()
);
create table purchasing.vendor (
  businessentityid int primary key references person.businessentity,
  accountnumber "AccountNumber" not null,
  name "Name" not null,
  creditrating smallint not null,
  preferredvendorstatus "Flag" not null default true,
  activeflag "Flag" not null default true,
  purchasingwebserviceurl varchar(1024) null,
  modifieddate timestamp not null default now()
);
create table purchasing.shipmethod (
  shipmethodid int primary key,
  name "Name" not null,
  shipbase numeric not null default 0,
  shiprate numeric not null default 0,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table purchasing.productvendor (
  productid int not null references production.product,
  businessentityid int not null references purchasing.vendor,
  averageleadtime int not null,
  standardprice numeric not null,
  lastreceiptcost numeric null,
  lastreceiptdate timestamp null,
  minorderqty int not null,
  maxorderqty int not null,
  onorderqty int null,
  unitmeasurecode char(3) not null references production.unitmeasure,
  modifieddate timestamp not null default now(),
  primary key (productid, businessentityid)
);
create table purchasing.purchaseorderheader (
  purchaseorderid int primary key,
  revisionnumber smallint not null default 0,
  status smallint not null default 1,
  employeeid int not null references humanresources.employee,
  vendorid int not null references purchasing.vendor,
  shipmethodid int not null references purchasing.shipmethod,
  orderdate timestamp not null default now(),
  shipdate timestamp null,
  subtotal numeric not null default 0,
  taxamt numeric not null default 0,
  freight numeric not null default 0,
  modifieddate timestamp not null default now()
);
create table purchasing.purchaseorderdetail (
  purchaseorderid int not null references purchasing.purchaseorderheader,
  purchaseorderdetailid int not null,
  duedate timestamp not null,
  orderqty smallint not null,
  productid int not null references production.product,
  unitprice numeric not null,
  receivedqty decimal(8, 2) not null,
  rejectedqty decimal(8, 2) not null,
  modifieddate timestamp not null default now(),
  primary key (purchaseorderid, purchaseorderdetailid)
);
create table sales.currency (currencycode char(3) primary key, name "Name" not null, modifieddate timestamp not null default now());
create table sales.customer (
  customerid int primary key,
  personid int null references person.person,
  storeid int null,
  territoryid int null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table sales.salesorderheader (
  salesorderid int primary key,
  revisionnumber smallint not null default 0,
  orderdate timestamp not null default now(),
  duedate timestamp not null,
  shipdate timestamp null,
  status smallint not null default 1,
  onlineorderflag "Flag" not null default true,
  purchaseordernumber "OrderNumber" null,
  accountnumber "AccountNumber" null,
  customerid int not null references sales.customer,
  billtoaddressid int not null references person.address,
  shiptoaddressid int not null references person.address,
  shipmethodid int not null references purchasing.shipmethod,
  subtotal numeric not null default 0,
  taxamt numeric not null default 0,
  freight numeric not null default 0,
  totaldue numeric,
  comment varchar(128) null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);
create table sales.salesorderdetail (
  salesorderid int not null references sales.salesorderheader,
  salesorderdetailid int not null,
  carriertrackingnumber varchar(25) null,
  orderqty smallint not null,
  productid int not null references production.product,
  specialofferid int not null,
  unitprice numeric not null,
  unitpricediscount numeric not null default 0,
  rowguid uuid not null,
  modifieddate timestamp not null default now(),
  primary key (salesorderid, salesorderdetailid)
);
create table sales.shoppingcartitem (
  shoppingcartitemid int primary key,
  shoppingcartid varchar(50) not null,
  quantity int not null default 1,
  productid int not null references production.product,
  datecreated timestamp not null default now(),
  modifieddate timestamp not null default now()
);
create table sales.specialoffer (
  specialofferid int primary key,
  description varchar(255) not null,
  discountpct numeric not null default 0,
  type varchar(50) not null,
  category varchar(50) not null,
  startdate timestamp not null,
  enddate timestamp not null,
  minqty int not null default 0,
  maxqty int null,
  rowguid uuid not null,
  modifieddate timestamp not null default now()
);

insert into person.businessentity select n, sample.uuid('be', n), now() - interval '900 days' from generate_series(1, 110) n;
insert into person.countryregion select distinct cc, country, now() - interval '900 days' from sample.companies();
insert into person.stateprovince select n, coalesce(left(upper(region), 3), cc), cc, region is null, coalesce(region, country), 1 + n % 9, sample.uuid('sp', n), now() - interval '900 days' from sample.companies();
insert into person.address select n, number || ' ' || street, case when n % 6 = 0 then 'Suite ' || n end, city, n, zip, null, sample.uuid('a', n), now() - n * interval '9 days' from sample.companies();
insert into person.addresstype values (1, 'Billing', sample.uuid('at', 1), now()), (2, 'Home', sample.uuid('at', 2), now()), (3, 'Main Office', sample.uuid('at', 3), now());
insert into person.businessentityaddress select n, n, 3, sample.uuid('bea', n), now() - n * interval '5 days' from generate_series(1, 24) n;
insert into person.person select 30 + n, 'VC', false, sample.pick(n, 'Mr.', 'Ms.', null), first_name, case when n % 4 = 0 then 'J' end, last_name, null, n % 3, sample.uuid('p', n), now() - n * interval '7 days' from sample.companies();
insert into person.person select 60 + n, sample.pick(n, 'EM', 'SP'), false, null, first_name, null, last_name, null, 0, sample.uuid('p', 60 + n), now() - n * interval '6 days' from sample.customers() where n <= 20;
insert into person.contacttype select n, sample.pick(n - 1, 'Accounting Manager', 'Assistant Sales Agent', 'Sales Representative', 'Owner', 'Purchasing Agent'), now() from generate_series(1, 5) n;
insert into person.businessentitycontact select n, 30 + n, 1 + n % 5, sample.uuid('bec', n), now() - n * interval '5 days' from generate_series(1, 24) n;
insert into person.emailaddress select 30 + n, n, 'contact' || n || '@' || domain, sample.uuid('ea', n), now() - n * interval '3 days' from sample.companies();
insert into humanresources.department select n, sample.pick(n, 'Engineering', 'Tool Design', 'Sales', 'Marketing', 'Purchasing'), 'Research and Development', now() from generate_series(1, 5) n;
insert into humanresources.employee select 60 + n, 295847000 + n, 'adventure-works\user' || n, sample.pick(n, 'Buyer', 'Purchasing Manager', 'Stocker'), date '1980-03-04' + n * 90::int, sample.pick(n, 'M', 'S'), sample.pick(n, 'F', 'M'), current_date - 1500 + n, true, n * 3, sample.uuid('e', n), now() from generate_series(1, 20) n;
insert into production.unitmeasure values ('CM ', 'Centimeter', now()), ('G  ', 'Gram', now()), ('LB ', 'US pound', now()), ('EA ', 'Each', now()), ('CTN', 'Carton', now());
insert into production.productcategory select n, sample.pick(n - 1, 'Bikes', 'Components', 'Clothing', 'Accessories'), sample.uuid('pc', n), now() - interval '800 days' from generate_series(1, 4) n;
insert into production.productsubcategory select n, 1 + n % 4, sample.pick(n - 1, 'Mountain Bikes', 'Road Bikes', 'Handlebars', 'Bottom Brackets', 'Brakes', 'Chains', 'Caps', 'Gloves', 'Jerseys', 'Bib-Shorts', 'Helmets', 'Locks', 'Pumps', 'Wheels'), sample.uuid('psc', n), now() - interval '700 days' from generate_series(1, 14) n;
insert into production.productmodel select n, sample.pick(n - 1, 'Classic Vest', 'Cycling Cap', 'Full-Finger Gloves', 'Half-Finger Gloves', 'HL Mountain Frame', 'HL Road Frame', 'Men''s Sports Shorts', 'Women''s Tights', 'Touring-1000', 'Rear Derailleur'), sample.uuid('pm', n), now() - interval '700 days' from generate_series(1, 10) n;
insert into production.product select 700 + n,
  sample.pick(n - 1, 'Adjustable Race', 'Bearing Ball', 'Crown Race', 'Chain Stays', 'Decal 1', 'Front Derailleur', 'HL Road Frame', 'Sport-100 Helmet', 'Mountain Bike Socks', 'Long-Sleeve Logo Jersey') || case when n > 10 then ', ' || sample.pick(n, 'S', 'M', 'L', 'XL') || ' ' || n else '' end,
  sample.pick(n, 'AR', 'BA', 'FR', 'HL', 'SO') || '-' || sample.pick(n * 3, 'R', 'U', 'M') || 5000 + n || case when n % 3 = 0 then '-' || 40 + n % 20 else '' end,
  n % 3 = 0, n % 2 = 0, sample.pick(n, 'Black', 'Silver', null, 'Red', 'Yellow', 'Multi'), 100 * (1 + n % 10), 75 * (1 + n % 10), sample.price(n), sample.price(n) * 1.7,
  sample.pick(n, '38', '42', 'M', null, 'L'), case when n % 5 < 2 then 'CM ' end, case when n % 4 < 2 then sample.pick(n, 'LB ', 'G  ') end, case when n % 4 < 2 then 1 + (n * 37 % 900) end,
  n % 4, sample.pick(n, 'R ', 'M ', null), sample.pick(n, 'L ', 'H ', null), sample.pick(n, 'U ', 'W ', null), case when n % 6 > 0 then 1 + n % 14 end, case when n % 2 = 0 then 1 + n % 10 end,
  date_trunc('day', now() - interval '600 days'), case when n % 9 = 0 then date_trunc('day', now() - interval '60 days') end, null, sample.uuid('prod', n), now() - n * interval '2 days'
from generate_series(1, 60) n;
insert into production.location select n, sample.pick(n - 1, 'Tool Crib', 'Sheet Metal Racks', 'Paint Shop', 'Paint Storage', 'Metal Storage', 'Miscellaneous Storage', 'Finished Goods Storage', 'Subassembly'), case when n > 4 then 12.25 else 0 end, case when n > 4 then 96 else 0 end, now() - interval '500 days' from generate_series(1, 8) n;
insert into production.productinventory select 700 + n, 1 + (n + at * 3) % 8, chr(65 + n % 12), n % 60, sample.amount(n + at), sample.uuid('pi', n * 10 + at), now() - n * interval '1 day' from generate_series(1, 60) n, generate_series(0, 1) at;
insert into production.productreview select n, 700 + n, 'Jürgen ' || n, now() - n * interval '10 days', 'reviewer' || n || '@example.org', 1 + n % 5, 'I can''t believe how light it is.', now() from generate_series(1, 8) n;
insert into production.scrapreason values (1, 'Brake assembly not as ordered', now()), (2, 'Color incorrect', now());
insert into production.workorder select n, 700 + n, sample.amount(n), n % 3, now() - n * interval '2 days', null, now() + n * interval '1 day', case when n % 3 > 0 then 1 + n % 2 end, now() from generate_series(1, 40) n;
insert into production.transactionhistory select 100000 + n, 701 + n % 60, 40000 + n, 0, now() - n * interval '1 day', sample.pick(n, 'W', 'S', 'P'), sample.amount(n), sample.price(n), now() from generate_series(1, 60) n;
insert into purchasing.vendor select n, upper(left(regexp_replace(domain, '[^a-z]', '', 'g'), 8)) || lpad(n::text, 4, '0'), name, 1 + n % 5, n % 5 > 0, n % 8 <> 7, case when n % 6 = 0 then 'www.' || domain || '/' end, now() - n * interval '4 days' from sample.companies();
insert into purchasing.shipmethod select n, sample.pick(n - 1, 'XRQ - TRUCK GROUND', 'ZY - EXPRESS', 'OVERSEAS - DELUXE', 'OVERNIGHT J-FAST', 'CARGO TRANSPORT 5'), 3.95 * n, 0.99 * n, sample.uuid('sm', n), now() from generate_series(1, 5) n;
insert into purchasing.productvendor select 700 + n, 1 + n % 24, 15 + n % 30, sample.price(n), sample.price(n) * 1.02, now() - n * interval '3 days', 1, 100 + n, case when n % 4 = 0 then n end, sample.pick(n, 'EA ', 'CTN'), now() - n * interval '3 days' from generate_series(1, 60) n;
insert into purchasing.purchaseorderheader select n, n % 4, sample.pick(n, '1', '2', '3', '4', '4', '4')::smallint, 61 + n % 20, 1 + n * 7 % 24, 1 + n % 5, date_trunc('day', now() - (150 - n * 3) * interval '1 day'), case when n < 40 then date_trunc('day', now() - (141 - n * 3) * interval '1 day') end, sample.price(n) * sample.amount(n) + sample.price(n + 1) * sample.amount(n + 1), 16.0864, 5.02, now() - (140 - n * 3) * interval '1 day' from generate_series(1, 45) n;
insert into purchasing.purchaseorderdetail select n, n * 2 - 1 + line, date_trunc('day', now() - (136 - n * 3) * interval '1 day'), sample.amount(n + line), 701 + (n * 3 + line) % 60, sample.price(n + line), case when n < 40 then sample.amount(n + line) else 0 end, case when n % 7 = 0 then 1 else 0 end, now() - (130 - n * 3) * interval '1 day' from generate_series(1, 45) n, generate_series(0, 1) line;
insert into sales.currency select distinct currency, 'Currency of ' || min(country), now() from sample.companies() group by currency;
insert into sales.customer select n, 60 + n, null, 1 + n % 9, sample.uuid('c', n), now() from generate_series(1, 20) n;
insert into sales.salesorderheader select 43658 + n, 8, now() - n * interval '3 days', now() - n * interval '2 days', now() - n * interval '1 day', 5, n % 2 = 0, case when n % 2 > 0 then 'PO' || 522145787 + n end, '10-4020-000' || 600 + n, 1 + n % 20, 1 + n % 24, 1 + n % 24, 1 + n % 5, sample.price(n), 1.5, 2.5, sample.price(n) + 4, null, sample.uuid('so', n), now() from generate_series(1, 40) n;
insert into sales.salesorderdetail select 43658 + n, n * 2 + line, '4911-403C-9' || n, sample.amount(n), 701 + n % 60, 1, sample.price(n), 0, sample.uuid('sod', n * 10 + line), now() from generate_series(1, 40) n, generate_series(0, 1) line;
insert into sales.shoppingcartitem values (2, '14951', 3, 702, now() - interval '2 days', now()), (4, '20621', 4, 701, now() - interval '1 day', now()), (5, '20621', 7, 704, now(), now());
insert into sales.specialoffer select n, 'Volume Discount ' || n, 0.02 * n, 'Volume Discount', 'Reseller', now() - interval '300 days', now() + interval '90 days', n * 10, null, sample.uuid('off', n), now() from generate_series(1, 6) n;
