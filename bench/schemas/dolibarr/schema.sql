create table llx_c_country (
  rowid integer primary key, code varchar(2) not null, code_iso varchar(3), numeric_code varchar(3),
  label varchar(128) not null, eec smallint default 0 not null, active smallint default 1 not null, favorite smallint default 0 not null
);
create table llx_c_currencies (code_iso varchar(3) primary key, label varchar(128) not null, unicode varchar(32), active smallint default 1 not null);
create table llx_c_payment_term (
  rowid serial primary key, entity integer default 1 not null, code varchar(16), sortorder smallint, active smallint default 1,
  libelle varchar(255), libelle_facture text, type_cdr smallint, nbjour smallint, decalage smallint,
  deposit_percent varchar(63), module varchar(32), position integer not null default 0
);
create table llx_user (
  rowid serial primary key, entity integer default 1 not null, ref_employee varchar(50), admin smallint default 0, employee smallint default 1,
  datec timestamp, tms timestamp default now(), login varchar(50) not null, pass_crypted varchar(128), api_key varchar(128),
  lastname varchar(50), firstname varchar(50), job varchar(128), office_phone varchar(20), email varchar(255), statut smallint default 1
);
create table llx_const (rowid serial primary key, name varchar(180) not null, entity integer default 1 not null, value text not null, type varchar(64) default 'string', visible smallint default 1 not null, note text, tms timestamp default now());
create table llx_societe (
  rowid serial primary key, nom varchar(128), name_alias varchar(128), entity integer default 1 not null, ref_ext varchar(255),
  statut smallint default 0, parent integer, status smallint default 1, code_client varchar(24), code_fournisseur varchar(24),
  code_compta varchar(32), code_compta_fournisseur varchar(32), address varchar(255), zip varchar(25), town varchar(50),
  fk_departement integer default 0, fk_pays integer default 0, phone varchar(20), fax varchar(20), url varchar(255), email varchar(128),
  fk_typent integer, fk_forme_juridique integer default 0, fk_currency varchar(3), siren varchar(128), siret varchar(128), ape varchar(128),
  tva_intra varchar(20), capital double precision, fk_stcomm integer default 0 not null, note_private text, note_public text,
  client smallint default 0, fournisseur smallint default 0, fk_incoterms integer, location_incoterms varchar(255),
  customer_rate real default 0, supplier_rate real default 0, remise_client real default 0, remise_supplier real default 0,
  mode_reglement smallint, cond_reglement smallint, mode_reglement_supplier smallint, cond_reglement_supplier smallint,
  tva_assuj smallint default 1, barcode varchar(180), price_level integer, outstanding_limit double precision,
  order_min_amount double precision, supplier_order_min_amount double precision, default_lang varchar(6), fk_warehouse integer,
  tms timestamp default now(), datec timestamp, fk_user_creat integer, fk_user_modif integer,
  fk_multicurrency integer, multicurrency_code varchar(3), import_key varchar(14)
);
create table llx_socpeople (
  rowid serial primary key, datec timestamp, tms timestamp default now(), fk_soc integer references llx_societe, entity integer default 1 not null,
  ref_ext varchar(255), civility varchar(6), lastname varchar(50), firstname varchar(50), address varchar(255), zip varchar(25), town varchar(255),
  fk_pays integer default 0, birthday date, poste varchar(255), phone varchar(30), phone_perso varchar(30), phone_mobile varchar(30), fax varchar(30),
  email varchar(255), no_email smallint not null default 0, priv smallint not null default 0, fk_user_creat integer references llx_user,
  note_private text, note_public text, default_lang varchar(6), statut smallint default 1 not null
);
create table llx_entrepot (
  rowid serial primary key, ref varchar(255) not null, datec timestamp, tms timestamp default now(), entity integer default 1 not null,
  fk_project integer, description text, lieu varchar(64), address varchar(255), zip varchar(10), town varchar(50), fk_departement integer,
  fk_pays integer default 0, phone varchar(20), warehouse_usage integer default 1, statut smallint default 1, fk_user_author integer, fk_parent integer default 0
);
create table llx_product (
  rowid serial primary key, ref varchar(128) not null, entity integer default 1 not null, ref_ext varchar(128), datec timestamp, tms timestamp default now(),
  fk_parent integer default 0, label varchar(255) not null, description text, note_public text, note text, customcode varchar(32),
  fk_country integer references llx_c_country, price double precision default 0, price_ttc double precision default 0, price_min double precision default 0,
  price_base_type varchar(3) default 'HT', cost_price double precision, tva_tx double precision, fk_user_author integer, tosell smallint default 1, tobuy smallint default 1,
  tobatch smallint default 0 not null, fk_product_type integer default 0, duration varchar(6), seuil_stock_alerte real, url varchar(255),
  barcode varchar(180), fk_barcode_type integer, accountancy_code_sell varchar(32), accountancy_code_buy varchar(32), weight real, weight_units smallint,
  length real, length_units smallint, width real, width_units smallint, height real, height_units smallint, surface real, volume real, volume_units smallint,
  stock real, pmp double precision default 0 not null, fk_default_warehouse integer references llx_entrepot, finished smallint, desiredstock real default 0,
  unique (ref, entity)
);
create table llx_product_stock (
  rowid serial primary key, tms timestamp default now(), fk_product integer not null references llx_product, fk_entrepot integer not null references llx_entrepot,
  reel real, import_key varchar(14), unique (fk_product, fk_entrepot)
);
create table llx_product_fournisseur_price (
  rowid serial primary key, entity integer default 1 not null, datec timestamp, tms timestamp default now(), fk_product integer, fk_soc integer,
  ref_fourn varchar(128), desc_fourn text, price double precision default 0, quantity double precision, remise_percent double precision not null default 0,
  unitprice double precision default 0, charges double precision default 0, barcode varchar(180), tva_tx double precision not null, fk_user integer,
  delivery_time_days integer, multicurrency_code varchar(3), multicurrency_tx double precision default 1, status integer default 1
);
create table llx_categorie (
  rowid serial primary key, entity integer default 1 not null, fk_parent integer default 0 not null, label varchar(180) not null, ref_ext varchar(255),
  type integer default 1 not null, description text, color varchar(8), position integer default 0, visible smallint default 1 not null,
  date_creation timestamp, tms timestamp default now(), fk_user_creat integer, fk_user_modif integer
);
create table llx_categorie_product (fk_categorie integer not null references llx_categorie, fk_product integer not null references llx_product, import_key varchar(14), primary key (fk_categorie, fk_product));
create table llx_commande_fournisseur (
  rowid serial primary key, ref varchar(180) not null, entity integer default 1 not null, ref_ext varchar(255), ref_supplier varchar(255),
  fk_soc integer not null references llx_societe, fk_projet integer default 0, tms timestamp default now(), date_creation timestamp, date_valid timestamp,
  date_approve timestamp, date_commande date, fk_user_author integer, fk_user_valid integer, fk_user_approve integer, source smallint not null,
  fk_statut smallint default 0, billed smallint default 0, amount_ht double precision default 0, remise_percent real default 0, remise real default 0,
  total_tva double precision default 0, total_ht double precision default 0, total_ttc double precision default 0, note_private text, note_public text,
  model_pdf varchar(255), date_livraison timestamp, fk_account integer, fk_cond_reglement integer, fk_mode_reglement integer, fk_incoterms integer,
  location_incoterms varchar(255), fk_multicurrency integer, multicurrency_code varchar(3), multicurrency_tx double precision default 1,
  multicurrency_total_ht double precision default 0, multicurrency_total_tva double precision default 0, multicurrency_total_ttc double precision default 0,
  unique (ref, entity)
);
create table llx_commande_fournisseurdet (
  rowid serial primary key, fk_commande integer not null, fk_parent_line integer, fk_product integer, ref varchar(128), label varchar(255), description text,
  tva_tx double precision default 0, qty real, remise_percent real default 0, remise real default 0, subprice double precision default 0,
  total_ht double precision default 0, total_tva double precision default 0, total_ttc double precision default 0, product_type integer default 0,
  date_start timestamp, date_end timestamp, info_bits integer default 0, special_code integer default 0, rang integer default 0, fk_unit integer,
  multicurrency_code varchar(3), multicurrency_subprice double precision default 0, multicurrency_total_ht double precision default 0
);
create table llx_reception (
  rowid serial primary key, tms timestamp default now(), ref varchar(30) not null, entity integer default 1 not null, fk_soc integer not null references llx_societe,
  ref_supplier varchar(255), date_creation timestamp, fk_user_author integer references llx_user, date_valid timestamp, date_delivery timestamp, date_reception timestamp,
  fk_shipping_method integer, tracking_number varchar(50), fk_statut smallint default 0, billed smallint default 0, weight real, weight_units integer,
  note_private text, note_public text, unique (ref, entity)
);
create table llx_receptiondet_batch (
  rowid serial primary key, fk_reception integer references llx_reception, fk_element integer, fk_elementdet integer,
  element_type varchar(50) default 'supplier_order' not null, fk_product integer, qty real, fk_entrepot integer, comment varchar(255), batch varchar(128),
  eatby date, sellby date, status integer, fk_user integer, datec timestamp, tms timestamp default now(), cost_price double precision default 0
);
create table llx_facture_fourn (
  rowid serial primary key, ref varchar(180) not null, ref_supplier varchar(180) not null, entity integer default 1 not null, ref_ext varchar(255),
  type smallint default 0 not null, fk_soc integer not null references llx_societe, datec timestamp, datef date, date_valid date, tms timestamp default now(),
  date_closing timestamp, libelle varchar(255), paye smallint default 0 not null, amount double precision default 0 not null, remise double precision default 0,
  close_code varchar(16), tva double precision default 0, total_tva double precision default 0, total_ht double precision default 0, total_ttc double precision default 0,
  fk_statut smallint default 0 not null, fk_user_author integer references llx_user, fk_facture_source integer, fk_projet integer, fk_account integer,
  fk_cond_reglement integer, fk_mode_reglement integer, date_lim_reglement date, note_private text, note_public text, multicurrency_code varchar(3),
  multicurrency_tx double precision default 1, multicurrency_total_ht double precision default 0, multicurrency_total_tva double precision default 0,
  multicurrency_total_ttc double precision default 0, unique (ref, entity), unique (ref_supplier, fk_soc, entity)
);
create table llx_facture_fourn_det (
  rowid serial primary key, fk_facture_fourn integer not null references llx_facture_fourn, fk_parent_line integer, fk_product integer, ref varchar(128), label varchar(255),
  description text, pu_ht double precision, pu_ttc double precision, qty real, remise_percent real default 0, tva_tx double precision, total_ht double precision,
  tva double precision, total_ttc double precision, product_type integer default 0, date_start timestamp, date_end timestamp, info_bits integer default 0,
  special_code integer default 0, rang integer default 0, fk_unit integer, multicurrency_code varchar(3)
);
create table llx_commande (
  rowid serial primary key, ref varchar(30) not null, entity integer default 1 not null, ref_client varchar(255), fk_soc integer not null references llx_societe,
  tms timestamp default now(), date_creation timestamp, date_valid timestamp, date_commande date, fk_user_author integer, source smallint, fk_statut smallint default 0,
  total_tva double precision default 0, total_ht double precision default 0, total_ttc double precision default 0, note_private text, facture smallint default 0,
  date_livraison timestamp, fk_cond_reglement integer
);
create table llx_commandedet (
  rowid serial primary key, fk_commande integer not null references llx_commande, fk_product integer references llx_product, label varchar(255), description text,
  tva_tx double precision, qty real, price real, subprice double precision default 0, total_ht double precision default 0, total_tva double precision default 0,
  total_ttc double precision default 0, product_type integer default 0, rang integer default 0
);
create table llx_facture (
  rowid serial primary key, ref varchar(30) not null, entity integer default 1 not null, ref_client varchar(255), type smallint default 0 not null,
  fk_soc integer not null references llx_societe, datec timestamp, datef date, date_valid date, tms timestamp default now(), paye smallint default 0 not null,
  total_tva double precision default 0, total_ht double precision default 0, total_ttc double precision default 0, fk_statut smallint default 0 not null,
  fk_cond_reglement integer default 1 not null, date_lim_reglement date, note_private text
);
create table llx_actioncomm (id serial primary key, ref varchar(30), datep timestamp, datec timestamp, tms timestamp, code varchar(50), label varchar(255), fk_soc integer, percent smallint default 0, note text);

insert into llx_c_country select n, cc, null, null, country, 0, 1, 0 from sample.companies();
insert into llx_c_currencies select currency, 'Currency ' || currency, null, 1 from sample.companies() group by currency;
insert into llx_c_payment_term (code, sortorder, active, libelle, libelle_facture, type_cdr, nbjour, decalage) values
  ('RECEP', 1, 1, 'Due upon receipt', 'À réception de facture', 0, 1, null), ('30D', 2, 1, '30 days', 'Règlement à 30 jours', 0, 30, null),
  ('30DENDMONTH', 3, 1, '30 days end of month', 'Règlement à 30 jours fin de mois', 1, 30, null), ('60D', 4, 1, '60 days', 'Règlement à 60 jours', 0, 60, null),
  ('PT_ORDER', 6, 0, 'Due on order', 'Due on order', 0, 1, null);
insert into llx_user (login, lastname, firstname, job, email, datec, admin) values ('admin', 'SuperAdmin', '', null, 'admin@brand.example', now(), 1),
  ('hlefevre', 'Lefèvre', 'Hélène', 'Acheteuse', 'helene@brand.example', now(), 0), ('bdupont', 'Dupont', 'Benoît', 'Logistique', 'benoit@brand.example', now(), 0);
insert into llx_const (name, value) values ('MAIN_INFO_SOCIETE_NOM', 'Maison d''Été'), ('MAIN_MONNAIE', 'EUR'), ('MAIN_LANG_DEFAULT', 'fr_FR'), ('MAIN_MODULE_FOURNISSEUR', '1');
insert into llx_societe (nom, name_alias, status, code_client, code_fournisseur, code_compta_fournisseur, address, zip, town, fk_pays, phone, url, email, tva_intra, siren,
    client, fournisseur, cond_reglement_supplier, location_incoterms, supplier_order_min_amount, default_lang, note_private, tms, datec, fk_user_creat, multicurrency_code)
  select name, case when n % 5 = 0 then split_part(name, ' ', 1) end, case when n % 9 = 0 then 0 else 1 end, case when n % 12 = 0 then 'CU2601-' || lpad(n::text, 5, '0') end,
    'SU2601-' || lpad(n::text, 5, '0'), '401' || n, number || ', ' || street, zip, city, n, left(phone, 20), case when n % 3 > 0 then 'https://' || domain end, 'info@' || domain, vat,
    case when cc = 'FR' then '303265045' end, case when n % 12 = 0 then 1 else 0 end, 1, 1 + n % 4, case when n % 4 = 0 then city end, case when n % 3 = 0 then n * 50 end,
    case when cc = 'FR' then 'fr_FR' else 'en_US' end, case when n % 6 = 0 then 'Appeler l''après-midi' end, now() - n * interval '3 days', now() - (400 + n) * interval '1 day', 1, currency
  from sample.companies();
insert into llx_societe (nom, status, code_client, address, zip, town, fk_pays, phone, client, fournisseur, cond_reglement, tms, datec, multicurrency_code)
  select name, 1, 'CU2601-' || lpad((n + 100)::text, 5, '0'), n || ' rue du Bac', 75000 + n, city, 10, '01 40 00 ' || 1000 + n, 1, 0, 2, now() - n * interval '2 days', now() - interval '500 days', 'EUR'
  from sample.customers() where n <= 20;
insert into llx_socpeople (fk_soc, civility, lastname, firstname, poste, phone, phone_mobile, email, statut, default_lang, datec, tms, fk_user_creat)
  select n, sample.pick(n, 'MR', 'MME'), last_name, first_name, title, phone, case when n % 4 = 0 then '+33 6 11 22 33 44' end, lower(replace(domain, '.example', '')) || '@' || domain,
    case when n % 10 = 0 then 0 else 1 end, case when n % 2 = 0 then 'en_US' end, now() - (300 + n) * interval '1 day', now() - n * interval '4 days', 1 from sample.companies();
insert into llx_entrepot (ref, lieu, description, address, zip, town, fk_pays, datec, tms) values ('WHLYON', 'Lyon Sud', 'Entrepôt principal', '8 rue de l''Industrie', '69200', 'Vénissieux', 10, now() - interval '900 days', now() - interval '20 days'),
  ('WHPORTO', 'Porto', null, 'Rua do Lagar 3', '4100-001', 'Porto', 1, now() - interval '700 days', now() - interval '30 days'), ('WHRETOURS', 'Retours', 'Marchandises retournées', '8 rue de l''Industrie', '69200', 'Vénissieux', 10, now() - interval '300 days', now() - interval '10 days');
insert into llx_product (ref, label, description, customcode, fk_country, price, price_ttc, cost_price, tva_tx, tosell, tobuy, barcode, fk_barcode_type, weight, weight_units, length, length_units, width, width_units, height, height_units, stock, pmp, datec, tms, fk_user_author)
  select sample.pick(n, 'TSH', 'PUL', 'ROB', 'PAN') || '-' || lpad(n::text, 4, '0') || sample.pick(n * 3, '-NOIR', '-BLEU', '-ÉCRU'), sample.pick(n, 'T-shirt col rond', 'Pull d''hiver', 'Robe d''été', 'Pantalon droit') || ' ' || sample.pick(n * 3, 'noir', 'bleu', 'écru') || ' ' || n,
    case when n % 3 > 0 then 'Coton biologique, lavage à 30°' end, sample.pick(n, '61091000', '61101130', '62044200', '62034235'), 1 + n % 24, sample.price(n) * 2, sample.price(n) * 2.4, sample.price(n), 20, case when n % 7 = 0 then 0 else 1 end, case when n % 11 = 0 then 0 else 1 end,
    case when n % 6 > 0 then sample.ean13(n) end, 2, 0.18 + n * 0.01, 0, 30, -2, 20, -2, 4, -2, 10 * n, sample.price(n), now() - (200 + n) * interval '1 day', now() - n * interval '2 days', 2
  from generate_series(1, 48) n;
insert into llx_product_stock (fk_product, fk_entrepot, reel, tms) select n, 1 + at, case when n % 8 = 0 then 0 else sample.amount(n + at) end, now() - n * interval '1 day' from generate_series(1, 48) n, generate_series(0, 1) at where (n + at) % 5 > 0;
insert into llx_product_fournisseur_price (fk_product, fk_soc, ref_fourn, price, quantity, unitprice, tva_tx, delivery_time_days, multicurrency_code, datec, tms)
  select n, 1 + n % 24, 'F-' || 7000 + n, sample.price(n) * 10, 10, sample.price(n), 20, 20 + n % 40, 'EUR', now() - interval '100 days', now() - n * interval '1 day' from generate_series(1, 48) n;
insert into llx_categorie (label, fk_parent, type, position, description, date_creation, tms) select sample.pick(n - 1, 'Vêtements', 'Hauts', 'Bas', 'Robes', 'Accessoires', 'Fournisseurs agréés', 'Clients fidèles', 'Mailles'), case when n in (2, 3, 4, 8) then 1 else 0 end, case n when 6 then 1 when 7 then 2 else 0 end, n, null, now() - interval '800 days', now() - n * interval '7 days' from generate_series(1, 8) n;
insert into llx_categorie_product select 2 + n % 3, n, null from generate_series(1, 48) n;
insert into llx_commande_fournisseur (ref, ref_supplier, fk_soc, date_creation, date_valid, date_approve, date_commande, source, fk_statut, total_ht, total_tva, total_ttc, note_private, note_public, date_livraison, fk_cond_reglement, fk_user_author, location_incoterms, multicurrency_code, multicurrency_tx, multicurrency_total_ht, multicurrency_total_tva, multicurrency_total_ttc, tms)
  select 'CF26' || lpad((n % 12 + 1)::text, 2, '0') || '-' || lpad(n::text, 4, '0'), case when n % 3 = 0 then 'AB/' || 900 + n end, 1 + n * 5 % 24, t.at, t.at + interval '1 hour', case when n % 4 > 0 then t.at + interval '1 day' end, t.at::date + 1, 0,
    sample.pick(n, '0', '1', '2', '3', '3', '4', '5', '5', '5', '6')::smallint, s.ht, s.ht * 0.2, s.ht * 1.2, case when n % 5 = 0 then 'Confirmer la date, s''il vous plaît' end, null, t.at + interval '45 days', 1 + n % 4, 2, null, 'EUR', 1, s.ht, s.ht * 0.2, s.ht * 1.2, t.at + interval '3 days'
  from generate_series(1, 40) n, lateral (select date_trunc('minute', now() - (160 - n * 4) * interval '1 day') as at) t, lateral (select (sample.price(n) * sample.amount(n) + sample.price(n + 1) * sample.amount(n + 1))::float8 as ht) s;
insert into llx_commande_fournisseurdet (fk_commande, fk_product, ref, label, description, tva_tx, qty, subprice, total_ht, total_tva, total_ttc, product_type, rang, multicurrency_code, multicurrency_subprice, multicurrency_total_ht)
  select n, 1 + (n * 7 + line) % 48, 'F-' || 7001 + (n * 7 + line) % 48, null, 'Selon échantillon n° ' || n, 20, sample.amount(n + line), sample.price(n + line), sample.price(n + line) * sample.amount(n + line), sample.price(n + line) * sample.amount(n + line) * 0.2, sample.price(n + line) * sample.amount(n + line) * 1.2, 0, line + 1, 'EUR', sample.price(n + line), sample.price(n + line) * sample.amount(n + line)
  from generate_series(1, 40) n, generate_series(0, 1) line;
insert into llx_reception (ref, fk_soc, ref_supplier, date_creation, date_valid, date_delivery, date_reception, tracking_number, fk_statut, fk_user_author, note_private, tms)
  select 'RCP26-' || lpad(n::text, 4, '0'), 1 + n * 5 % 24, 'BL ' || 300 + n, now() - (90 - n * 2) * interval '1 day', now() - (89 - n * 2) * interval '1 day', now() - (88 - n * 2) * interval '1 day', now() - (88 - n * 2) * interval '1 day', case when n % 3 = 0 then '1Z999AA1' || n end, sample.pick(n, '0', '1', '2', '2')::smallint, 3, null, now() - n * interval '1 day' from generate_series(1, 24) n;
insert into llx_receptiondet_batch (fk_reception, fk_element, fk_elementdet, fk_product, qty, fk_entrepot, comment, status, datec, tms)
  select n, n, n * 2 - 1 + line, 1 + (n * 7 + line) % 48, sample.amount(n + line), 1, case when n % 9 = 0 then 'Carton abîmé' end, 1, now() - (88 - n * 2) * interval '1 day', now() - (88 - n * 2) * interval '1 day' from generate_series(1, 24) n, generate_series(0, 1) line;
insert into llx_facture_fourn (ref, ref_supplier, type, fk_soc, datec, datef, date_valid, libelle, paye, total_tva, total_ht, total_ttc, fk_statut, fk_cond_reglement, date_lim_reglement, multicurrency_code, fk_user_author, tms, multicurrency_total_ht, multicurrency_total_tva, multicurrency_total_ttc, fk_facture_source)
  select 'SI26-' || lpad(n::text, 4, '0'), 'R-' || 40000 + n * 3, case when n % 13 = 0 then 2 else 0 end, 1 + n * 5 % 24, now() - (80 - n * 2) * interval '1 day', current_date - (81 - n * 2), current_date - (79 - n * 2), null, case when n < 15 then 1 else 0 end, s.ht * 0.2, s.ht, s.ht * 1.2, case when n < 15 then 2 when n > 27 then 0 else 1 end, 1 + n % 4, current_date - (51 - n * 2), 'EUR', 2, now() - (70 - n * 2) * interval '1 day', s.ht, s.ht * 0.2, s.ht * 1.2, case when n % 13 = 0 then n - 1 end
  from generate_series(1, 30) n, lateral (select (sample.price(n) * sample.amount(n))::float8 * case when n % 13 = 0 then -1 else 1 end as ht) s;
insert into llx_facture_fourn_det (fk_facture_fourn, fk_product, ref, description, pu_ht, pu_ttc, qty, tva_tx, total_ht, tva, total_ttc, product_type, rang)
  select n, 1 + n * 7 % 48, 'F-' || 7001 + n * 7 % 48, 'Livraison n° ' || n, sample.price(n), sample.price(n) * 1.2, sample.amount(n), 20, sample.price(n) * sample.amount(n), sample.price(n) * sample.amount(n) * 0.2, sample.price(n) * sample.amount(n) * 1.2, 0, 1 from generate_series(1, 30) n;
insert into llx_commande (ref, fk_soc, date_creation, date_valid, date_commande, source, fk_statut, total_tva, total_ht, total_ttc, date_livraison, fk_cond_reglement) select 'CO26-' || lpad(n::text, 4, '0'), 24 + 1 + n % 20, now() - n * interval '2 days', now() - n * interval '2 days', current_date - n * 2, 1, sample.pick(n, '1', '2', '3')::smallint, 20, 100, 120, null, 2 from generate_series(1, 35) n;
insert into llx_commandedet (fk_commande, fk_product, label, qty, subprice, total_ht, total_tva, total_ttc, rang) select n, 1 + n % 48, null, sample.amount(n), 10, 100, 20, 120, 1 from generate_series(1, 35) n;
insert into llx_facture (ref, fk_soc, datec, datef, total_tva, total_ht, total_ttc, fk_statut, date_lim_reglement) select 'FA26-' || lpad(n::text, 4, '0'), 24 + 1 + n % 20, now() - n * interval '2 days', current_date - n * 2, 20, 100, 120, 1, current_date + 30 from generate_series(1, 30) n;
insert into llx_actioncomm (ref, datep, label, fk_soc, code) select n::text, now() - n * interval '1 day', 'Appel téléphonique', 1 + n % 24, 'AC_TEL' from generate_series(1, 20) n;
