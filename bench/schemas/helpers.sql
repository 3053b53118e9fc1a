-- What the rows of all schemas are made of. Functions only: a schema has no tables but its own.
create schema sample;

-- One of several texts, in turn.
create function sample.pick(n bigint, variadic texts text[]) returns text
  language sql immutable as $$ select texts[1 + n % cardinality(texts)] $$;

-- Whole numbers that jump, mostly small: a few are a hundred times the others.
create function sample.amount(n bigint) returns int language sql immutable as $$
  select (case when n % 11 = 0 then 100 when n % 5 = 0 then 12 else 1 end * (1 + n * 7919 % 23))::int
$$;

create function sample.price(n bigint) returns numeric language sql immutable as $$
  select round((90 + n * 104729 % 19000) / 100.0, 2)
$$;

create function sample.uuid(kind text, n bigint) returns uuid
  language sql immutable as $$ select md5(kind || n)::uuid $$;

-- A GTIN with its check digit.
create function sample.ean13(n bigint) returns text language sql immutable as $$
  with code as (select '40' || lpad((n * 7919 % 10000000000)::text, 10, '0') as digits)
  select digits || ((10 - (
    select sum(substr(digits, place, 1)::int * case when place % 2 = 0 then 3 else 1 end)
    from generate_series(1, 12) place) % 10) % 10)
  from code
$$;

create function sample.companies() returns table (
  n int, name text, street text, number text, zip text, city text, region text, country text,
  land text, cc text, currency text, phone text, domain text, vat text, first_name text,
  last_name text, title text
) language sql immutable as $$
values
  (1, 'Moda Têxtil, Lda.', 'Rua de Santa Catarina', '118', '4000-447', 'Porto', null, 'Portugal', 'Portugal', 'PT', 'EUR', '+351 22 208 4471', 'modatextil.example', 'PT509442013', 'João', 'Gonçalves', 'Sales Manager'),
  (2, 'Gölz & Söhne GmbH', 'Königsallee', '27', '40212', 'Düsseldorf', 'NRW', 'Germany', 'Deutschland', 'DE', 'EUR', '+49 211 8632770', 'goelz.example', 'DE813992525', 'Jürgen', 'Größl', 'Export Director'),
  (3, 'O''Brien Knitwear Ltd', 'Patrick Street', '4', 'T12 XN8A', 'Cork', null, 'Ireland', 'Irland', 'IE', 'EUR', '+353 21 427 1155', 'obrien.example', 'IE6388047V', 'Siobhán', 'O''Brien', 'Owner'),
  (4, '上海锦绣纺织有限公司', '南京东路', '300', '200001', '上海', null, 'China', 'China', 'CN', 'CNY', '+86 21 6322 1188', 'jinxiu.example', null, '伟', '王', 'Account Manager'),
  (5, 'Şahin Tekstil A.Ş.', 'İstiklal Caddesi', '55', '34433', 'İstanbul', null, 'Turkey', 'Türkei', 'TR', 'TRY', '+90 212 293 7730', 'sahin.example', 'TR8120564471', 'Ayşe', 'Yılmaz', 'Sales Representative'),
  (6, 'Nordlys Garn AS', 'Storgata', '9', '0155', 'Oslo', null, 'Norway', 'Norwegen', 'NO', 'NOK', '+47 22 41 55 60', 'nordlys.example', 'NO987654321MVA', 'Bjørn', 'Ødegård', 'Marketing Manager'),
  (7, 'Łódź Fabryka Sp. z o.o.', 'Piotrkowska', '87', '90-423', 'Łódź', null, 'Poland', 'Polen', 'PL', 'PLN', '+48 42 633 90 12', 'fabryka.example', 'PL7251801126', 'Małgorzata', 'Wójcik', 'Order Administrator'),
  (8, '株式会社東京織物', '日本橋本町', '3-2-1', '103-0023', '東京', null, 'Japan', 'Japan', 'JP', 'JPY', '+81 3 3241 7755', 'orimono.example', null, '健', '佐藤', 'Marketing Representative'),
  (9, 'Tirupur Cotton Mills Pvt', 'Avinashi Road', '212', '641602', 'Tiruppur', 'Tamil Nadu', 'India', 'Indien', 'IN', 'INR', '+91 421 220 5566', 'tirupur.example', null, 'Lakshmi', 'Narayanan', 'Sales Agent'),
  (10, 'Maison Lefèvre S.A.R.L.', 'rue de la République', '14 bis', '69002', 'Lyon', null, 'France', 'Frankreich', 'FR', 'EUR', '+33 4 78 37 20 11', 'lefevre.example', 'FR40303265045', 'Hélène', 'Lefèvre', 'Gérante'),
  (11, 'Great Lakes Supply Inc.', 'W. Michigan Ave.', '1029', '48201', 'Detroit', 'MI', 'USA', 'USA', 'US', 'USD', '(313) 555-0142', 'greatlakes.example', null, 'Denise', 'Carter', 'Regional Account Rep.'),
  (12, 'Highland Wool Co.', 'Castle Wynd', '2', 'IV2 3EB', 'Inverness', null, 'UK', 'Großbritannien', 'GB', 'GBP', '+44 1463 712 903', 'highland.example', 'GB220430231', 'Ewan', 'MacLeod', 'Accounting Manager'),
  (13, 'Tessuti D''Angelo S.p.A.', 'Via Garibaldi', '61', '59100', 'Prato', 'PO', 'Italy', 'Italien', 'IT', 'EUR', '+39 0574 605 118', 'dangelo.example', 'IT00743110157', 'Niccolò', 'D''Angelo', 'Sales Manager'),
  (14, 'Hilados Ñandú S.L.', 'Calle de Atocha', '33', '28012', 'Madrid', null, 'Spain', 'Spanien', 'ES', 'EUR', '+34 913 69 20 45', 'nandu.example', 'ESB28017895', 'Íñigo', 'Muñoz', 'Export Administrator'),
  (15, 'Việt Thắng JSC', 'Lê Văn Chí', '127', '700000', 'Hồ Chí Minh', null, 'Vietnam', 'Vietnam', 'VN', 'VND', '+84 28 3896 9337', 'vietthang.example', null, 'Minh', 'Nguyễn', 'Sales Manager'),
  (16, 'Bangla Apparel Ltd.', 'Mirpur Road', '48/A', '1205', 'Dhaka', null, 'Bangladesh', 'Bangladesch', 'BD', 'BDT', '+880 2 966 1123', 'bangla.example', null, 'Farhana', 'Rahman', 'Merchandiser'),
  (17, 'Svensk Spets AB', 'Västerlånggatan', '18', '111 29', 'Stockholm', null, 'Sweden', 'Schweden', 'SE', 'SEK', '+46 8 411 27 90', 'spets.example', 'SE556056625801', 'Åsa', 'Lindström', 'Sales Agent'),
  (18, 'Čedok Textil s.r.o.', 'Na Příkopě', '18', '110 00', 'Praha 1', null, 'Czech Republic', 'Tschechien', 'CZ', 'CZK', '+420 224 197 111', 'cedok.example', 'CZ60192755', 'Jiří', 'Dvořák', 'Owner'),
  (19, 'Zürcher Seide AG', 'Bahnhofstrasse', '71', '8001', 'Zürich', 'ZH', 'Switzerland', 'Schweiz', 'CH', 'CHF', '+41 44 211 37 40', 'seide.example', 'CHE116281271', 'Regula', 'Müller', 'Leiterin Verkauf'),
  (20, 'Wiener Zwirn KG', 'Mariahilfer Straße', '102', '1070', 'Wien', null, 'Austria', 'Österreich', 'AT', 'EUR', '+43 1 523 44 10', 'zwirn.example', 'ATU16250401', 'Franz', 'Jäger', 'Prokurist'),
  (21, 'Aurora Buttons B.V.', 'Herengracht', '401', '1017 BP', 'Amsterdam', null, 'Netherlands', 'Niederlande', 'NL', 'EUR', '+31 20 624 0312', 'aurora.example', 'NL803441526B01', 'Femke', 'de Vries', 'Product Manager'),
  (22, '한빛섬유 주식회사', '세종대로', '110', '04524', '서울', null, 'South Korea', 'Südkorea', 'KR', 'KRW', '+82 2 731 2120', 'hanbit.example', null, '민준', '김', 'Sales Representative'),
  (23, 'Fils du Sénégal', 'avenue Léopold Sédar Senghor', '7', '12500', 'Dakar', null, 'Senegal', 'Senegal', 'SN', 'XOF', '+221 33 849 55 00', 'fils.example', null, 'Aïssatou', 'N''Diaye', 'Directrice'),
  (24, 'Pavlova Trims Pty', 'Collins Street', '74', '3000', 'Melbourne', 'Victoria', 'Australia', 'Australien', 'AU', 'AUD', '(03) 444-2343', 'pavlova.example', null, 'Ian', 'Devling', 'Marketing Manager')
$$;

-- Companies and people that buy.
create function sample.customers() returns table (n int, name text, first_name text, last_name text, city text, country text, land text)
  language sql immutable as $$
  select n, sample.pick(n, 'Boutique', 'Café', 'Kaufhaus', 'Store', 'Atelier') || ' '
      || sample.pick(n * 3, 'Zoë', 'Ångström', 'Müller''s', 'René', 'Łucja', 'Ótomo', '王府井') || ' ' || n,
    sample.pick(n, 'Zoë', 'René', 'Łucja', 'Björn', 'Chloé', 'María'),
    sample.pick(n * 5, 'Ångström', 'Müller', 'O''Connor', 'Nuñez', 'Żak', 'Dupré', 'Smith'),
    sample.pick(n * 7, 'Berlin', 'Paris', 'Kraków', 'São Paulo', 'London'),
    sample.pick(n * 7, 'Germany', 'France', 'Poland', 'Brazil', 'UK'),
    sample.pick(n * 7, 'Deutschland', 'Frankreich', 'Polen', 'Brasilien', 'Großbritannien')
  from generate_series(1, 36) n
$$;
