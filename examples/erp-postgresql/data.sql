-- A season of a small outdoor brand. Dates are around the day on which this is run.

insert into company values ('NVK', 'Nordvik Outdoor', 'NO', 'EUR');

insert into vendors (vendor_no, name, country, currency, lead_time_weeks, status, approved_on) values
  ('V0042', 'Têxteis Conceição & Filhos, Lda.', 'PT', 'EUR', 9, 'A', current_date - 900),
  ('V0107', '江苏华纺织有限公司', 'CN', 'USD', 14, 'A', current_date - 400),
  ('V0108', 'O''Malley Knitwear', 'IE', 'EUR', null, 'A', current_date - 200),
  ('V0233', 'Örgü Tekstil A.Ş.', 'TR', 'EUR', 6, 'N', null),
  ('V0301', 'Zipper ''n'' Thread Ltd.', 'GB', 'GBP', 3, 'B', current_date - 1500);

insert into warehouses (whs_code, name, street, city, country) values
  ('HAM1', 'Lager Hamburg', 'Am Sandtorkai 12', 'Hamburg', 'DE'),
  ('OSL1', 'Lager Oslo', null, 'Oslo', 'NO');

insert into items (item_no, style_no, style_name, colour_code, colour_name, size, ean, weight_g, vendor_no, discontinued) values
  ('FJ-100-NVY-S', 'FJ-100', 'Fjällräv Jacket', 'NVY', 'Navy', 'S', '4006381333931', 812.5, 'V0042', false),
  ('FJ-100-NVY-M', 'FJ-100', 'Fjällräv Jacket', 'NVY', 'Navy', 'M', '4006381333948', 840.0, 'V0042', false),
  ('FJ-100-MOS-M', 'FJ-100', 'Fjällräv Jacket', 'MOS', 'Moss', 'M', null, 838.0, 'V0042', false),
  ('SW-220-ECR-M', 'SW-220', 'Aran Sweater', 'ECR', 'Écru', 'M', '5012345678900', 620.0, 'V0108', false),
  ('SW-220-ECR-L', 'SW-220', 'Aran Sweater', 'ECR', 'Écru', 'L', null, null, 'V0108', false),
  ('TR-310-BLK-32', 'TR-310', 'Trail Trousers', 'BLK', '黑色', '32', '6901234567892', 410.0, 'V0107', false),
  ('TR-310-BLK-34', 'TR-310', 'Trail Trousers', 'BLK', '黑色', '34', '6901234567908', 425.0, 'V0107', false),
  ('CP-050-RED-1', 'CP-050', 'Wool Cap', 'RED', 'Röd', 'ONE', null, 95.0, null, true);

insert into purchase_orders (po_no, vendor_no, order_date, currency, incoterm, ship_to, requested_date, confirmed_at, status, note) values
  ('PO-5512', 'V0042', current_date - 60, 'EUR', 'FCA', 'HAM1', current_date + 5, now() - interval '55 days', 'CONF', 'First run of the autumn jackets. "Handle with care."'),
  ('PO-5513', 'V0107', current_date - 45, 'USD', 'FOB', 'HAM1', current_date + 30, now() - interval '40 days', 'CONF', null),
  ('PO-5514', 'V0108', current_date - 30, 'EUR', null, 'OSL1', current_date - 3, now() - interval '28 days', 'RECV', 'Sean''s order; see e-mail'),
  ('PO-5515', 'V0042', current_date - 2, 'EUR', 'FCA', 'HAM1', current_date + 75, null, 'SENT', null),
  ('PO-5516', 'V0107', current_date, 'USD', 'FOB', null, null, null, 'NEW', null),
  ('PO-5499', 'V0108', current_date - 120, 'EUR', 'EXW', 'OSL1', current_date - 60, null, 'CANC', 'Duplicate of PO-5514');

insert into po_lines (po_no, line_no, item_no, qty, unit_price, cancelled) values
  ('PO-5512', 10, 'FJ-100-NVY-S', 300, 41.5000, false),
  ('PO-5512', 20, 'FJ-100-NVY-M', 450, 41.5000, false),
  ('PO-5512', 30, 'FJ-100-MOS-M', 200, 42.2500, true),
  ('PO-5513', 10, 'TR-310-BLK-32', 600, 12.3750, false),
  ('PO-5513', 20, 'TR-310-BLK-34', 600, 12.3750, false),
  ('PO-5514', 10, 'SW-220-ECR-M', 120, 33.9000, false),
  ('PO-5514', 20, 'SW-220-ECR-L', 80, 33.9000, false),
  ('PO-5515', 10, 'FJ-100-NVY-M', 150, 41.0000, false),
  ('PO-5516', 10, 'TR-310-BLK-32', 200, 12.1250, false),
  ('PO-5516', 20, 'TR-310-BLK-34', 0, 12.1250, true),
  ('PO-5499', 10, 'SW-220-ECR-M', 120, 33.9000, true);

insert into receipts (receipt_no, whs_code, delivery_note, posted_at) values
  ('GR-9001', 'OSL1', 'OM/2291', now() - interval '2 days'),
  ('GR-9002', 'HAM1', null, null);

insert into receipt_lines (receipt_no, line_no, po_no, po_line_no, qty_received, qty_damaged) values
  ('GR-9001', 1, 'PO-5514', 10, 120, 0),
  ('GR-9001', 2, 'PO-5514', 20, 80, 2);

insert into invoices (vendor_no, inv_no, po_no, inv_date, due_date, currency, tax_percent, approved) values
  ('V0108', '2026/0017', 'PO-5514', current_date - 4, current_date + 26, 'EUR', 0, true),
  ('V0042', 'FT A/112', 'PO-5512', current_date - 1, null, 'EUR', 23.00, false);

insert into invoice_lines (vendor_no, inv_no, line_no, po_no, po_line_no, description, qty, unit_price) values
  ('V0108', '2026/0017', 1, 'PO-5514', 10, 'Aran sweater, écru, M', 120, 33.9000),
  ('V0108', '2026/0017', 2, 'PO-5514', 20, 'Aran sweater, écru, L', 80, 33.9000),
  ('V0042', 'FT A/112', 1, null, null, 'Amostras e portes', 1, 480.0000);
