create table categories (
  category_id smallint primary key,
  category_name character varying(15) not null,
  description text,
  picture bytea
);
create table suppliers (
  supplier_id smallint primary key,
  company_name character varying(40) not null,
  contact_name character varying(30),
  contact_title character varying(30),
  address character varying(60),
  city character varying(15),
  region character varying(15),
  postal_code character varying(10),
  country character varying(15),
  phone character varying(24),
  fax character varying(24),
  homepage text
);
create table products (
  product_id smallint primary key,
  product_name character varying(40) not null,
  supplier_id smallint references suppliers,
  category_id smallint references categories,
  quantity_per_unit character varying(20),
  unit_price real,
  units_in_stock smallint,
  units_on_order smallint,
  reorder_level smallint,
  discontinued integer not null
);
create table customers (
  customer_id character varying(5) primary key,
  company_name character varying(40) not null,
  contact_name character varying(30),
  contact_title character varying(30),
  address character varying(60),
  city character varying(15),
  region character varying(15),
  postal_code character varying(10),
  country character varying(15),
  phone character varying(24),
  fax character varying(24)
);
create table employees (
  employee_id smallint primary key,
  last_name character varying(20) not null,
  first_name character varying(10) not null,
  title character varying(30),
  title_of_courtesy character varying(25),
  birth_date date,
  hire_date date,
  address character varying(60),
  city character varying(15),
  country character varying(15),
  home_phone character varying(24),
  notes text,
  reports_to smallint references employees
);
create table shippers (
  shipper_id smallint primary key,
  company_name character varying(40) not null,
  phone character varying(24)
);
create table orders (
  order_id smallint primary key,
  customer_id character varying(5) references customers,
  employee_id smallint references employees,
  order_date date,
  required_date date,
  shipped_date date,
  ship_via smallint references shippers,
  freight real,
  ship_name character varying(40),
  ship_address character varying(60),
  ship_city character varying(15),
  ship_region character varying(15),
  ship_postal_code character varying(10),
  ship_country character varying(15)
);
create table order_details (
  order_id smallint not null references orders,
  product_id smallint not null references products,
  unit_price real not null,
  quantity smallint not null,
  discount real not null,
  primary key (order_id, product_id)
);
create table region (region_id smallint primary key, region_description character varying(60) not null);
create table territories (
  territory_id character varying(20) primary key,
  territory_description character varying(60) not null,
  region_id smallint not null references region
);
create table employee_territories (
  employee_id smallint not null references employees,
  territory_id character varying(20) not null references territories,
  primary key (employee_id, territory_id)
);
create table us_states (
  state_id smallint primary key,
  state_name character varying(100),
  state_abbr character varying(2),
  state_region character varying(50)
);

insert into categories select n, sample.pick(n - 1, 'Beverages', 'Condiments', 'Confections',
    'Dairy Products', 'Grains/Cereals', 'Meat/Poultry', 'Produce', 'Seafood'),
  sample.pick(n - 1, 'Soft drinks, coffees, teas, beers, and ales', 'Sweet and savory sauces, relishes, spreads',
    'Desserts, candies, and sweet breads', 'Cheeses', 'Breads, crackers, pasta, and cereal',
    'Prepared meats', 'Dried fruit and bean curd', 'Seaweed and fish')
from generate_series(1, 8) n;
insert into suppliers select n, name, first_name || ' ' || last_name, title, number || ' ' || street,
  left(city, 15), left(region, 15), zip, country, phone,
  case when n % 3 = 0 then phone || '9' end, case when n % 4 = 0 then 'https://www.' || domain end
from sample.companies();
insert into products select n,
  sample.pick(n, 'Chai', 'Chang', 'Aniseed Syrup', 'Queso Cabrales', 'Gumbär Gummibärchen', 'Pâté chinois',
    'Röd Kaviar', 'Côte de Blaye', 'Sirop d''érable', 'Tofu', 'Mishi Kobe Niku', 'Rössle Sauerkraut',
    '花椒', 'Chef Anton''s Gumbo Mix') || case when n > 13 then ' No. ' || n / 14 else '' end,
  1 + n * 5 % 24, case when n % 17 = 0 then null else 1 + n * 3 % 8 end,
  sample.pick(n, '10 boxes x 20 bags', '24 - 12 oz bottles', '12 - 550 ml bottles', '1 kg pkg.', '36 boxes'),
  sample.price(n), case when n % 9 = 0 then 0 else 3 + n * 13 % 120 end, case when n % 6 = 0 then 10 * (1 + n % 7) else 0 end,
  5 * (n % 6), case when n % 8 = 3 then 1 else 0 end
from generate_series(1, 60) n;
insert into customers select upper(left(md5(n::text), 4)) || chr(65 + n % 26), name, first_name || ' ' || last_name, 'Owner',
  n || ' Main St.', city, null, 10000 + n, country, '030-00' || 74000 + n, null
from sample.customers();
insert into employees select n, sample.pick(n, 'Davolio', 'Fuller', 'Leverling', 'Peacock', 'Buchanan', 'Suyama', 'King', 'Callahan', 'Dodsworth'),
  sample.pick(n, 'Nancy', 'Andrew', 'Janet', 'Margaret', 'Steven', 'Michael', 'Robert', 'Laura', 'Anne'),
  'Sales Representative', sample.pick(n, 'Ms.', 'Dr.', 'Mr.'), date '1970-01-01' + n * 400::int, current_date - 2000 + n * 30,
  '14 Garrett Hill', 'London', 'UK', '(71) 555-4848', null, case when n > 2 then 2 end
from generate_series(1, 9) n;
insert into shippers values (1, 'Speedy Express', '(503) 555-9831'), (2, 'United Package', '(503) 555-3199'), (3, 'Federal Shipping', '(503) 555-9931');
insert into orders select 10247 + n, (select customer_id from customers order by customer_id offset n % 36 limit 1), 1 + n % 9,
  current_date - 200 + n * 4, current_date - 172 + n * 4, case when n < 48 then current_date - 195 + n * 4 end, 1 + n % 3,
  sample.price(n), 'Ship to ' || n, '59 rue de l''Abbaye', 'Reims', null, '51100', 'France'
from generate_series(1, 50) n;
insert into order_details select 10247 + n, 1 + (n * 7 + line * 11) % 60, sample.price(n + line), sample.amount(n + line), case when n % 4 = 0 then 0.15 else 0 end
from generate_series(1, 50) n, generate_series(1, 2) line;
insert into region values (1, 'Eastern'), (2, 'Western'), (3, 'Northern'), (4, 'Southern');
insert into territories select '0' || 1500 + n, sample.pick(n, 'Westboro', 'Bedford', 'Boston', 'Cambridge', 'Braintree'), 1 + n % 4 from generate_series(1, 30) n;
insert into employee_territories select 1 + n % 9, '0' || 1500 + n from generate_series(1, 30) n;
insert into us_states values (1, 'Alabama', 'AL', 'south'), (2, 'Alaska', 'AK', 'north'), (3, 'Arizona', 'AZ', 'west'), (4, 'Arkansas', 'AR', 'south');
