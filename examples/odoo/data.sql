-- A season of a small brand. Dates are around the day on which this is run.

insert into res_country (id, name, code) values
  (1, '{"en_US": "Portugal", "de_DE": "Portugal"}', 'PT'), (2, '{"en_US": "China", "de_DE": "China"}', 'CN'),
  (3, '{"en_US": "Ireland", "de_DE": "Irland"}', 'IE'), (4, '{"en_US": "Germany", "de_DE": "Deutschland"}', 'DE');
insert into res_currency (id, name) values (1, 'EUR'), (2, 'USD');
insert into account_incoterms (id, name, code) values
  (1, '{"en_US": "FREE CARRIER"}', 'FCA'), (2, '{"en_US": "FREE ON BOARD"}', 'FOB');

insert into res_partner (id, name, ref, vat, website, type, is_company, parent_id, commercial_partner_id, supplier_rank, customer_rank, street, city, zip, country_id, email, phone, mobile, function, active, write_date) values
  (1, 'Fjordline GmbH', null, 'DE136695976', null, 'contact', true, null, 1, 0, 0, 'Am Sandtorkai 12', 'Hamburg', '20457', 4, null, null, null, null, true, now() - interval '400 days'),
  (10, 'Têxteis Conceição & Filhos, Lda.', 'V0042', 'PT501442600', 'https://conceicao.example', 'contact', true, null, 10, 7, 0, 'Rua do Heroísmo 5', 'Porto', '4300-255', 1, null, null, null, null, true, now() - interval '90 days'),
  (11, '江苏华纺织有限公司', 'V0107', null, null, 'contact', true, null, 11, 2, 0, null, '南通', null, 2, null, null, null, null, true, now() - interval '80 days'),
  (12, 'O''Malley Knitwear', null, null, null, 'contact', true, null, 12, 1, 1, null, 'Galway', null, 3, null, null, null, null, false, now() - interval '70 days'),
  (20, 'João Conceição', null, null, null, 'contact', false, 10, 10, 0, 0, null, null, null, null, 'joao@conceicao.example', null, '+351 912 345 678', 'Sales', true, now() - interval '60 days'),
  (21, 'Têxteis Conceição, Billing', null, null, null, 'invoice', false, 10, 10, 0, 0, null, null, null, null, null, null, null, null, true, now() - interval '60 days'),
  (30, 'Boutique Élan', null, null, null, 'contact', true, null, 30, 0, 4, null, 'Lyon', null, null, null, null, null, null, true, now() - interval '10 days'),
  (31, 'Zoé Élan', null, null, null, 'contact', false, 30, 30, 0, 0, null, null, null, null, null, null, null, null, true, now() - interval '10 days');

insert into product_category (id, name, complete_name, parent_id, parent_path) values
  (1, 'All', 'All', null, '1/'), (2, 'Apparel', 'All / Apparel', 1, '1/2/'),
  (3, 'Knitwear', 'All / Apparel / Knitwear', 2, '1/2/3/'), (4, 'Accessories', 'All / Accessories', 1, '1/4/');

insert into product_template (id, name, default_code, categ_id, type, list_price, purchase_ok, active, write_date) values
  (1, '{"en_US": "Crew neck tee ''Été''", "de_DE": "Rundhalsshirt ''Été''"}', null, 2, 'product', 39.9, true, true, now() - interval '60 days'),
  (2, '{"en_US": "Aran Sweater"}', null, 3, 'product', 129, true, true, now() - interval '60 days'),
  (3, '{"en_US": "Écharpe d''hiver", "de_DE": "Winterschal"}', 'SCARF-1', 4, 'consu', 45, true, true, now() - interval '60 days'),
  (4, '{"en_US": "Delivery"}', 'SHIP', 1, 'service', 0, true, true, now() - interval '60 days');
insert into product_product (id, product_tmpl_id, default_code, barcode, weight, active, write_date) values
  (1, 1, 'TEE-100-NVY-S', '4006381333931', 0.165, true, now() - interval '60 days'),
  (2, 1, 'TEE-100-NVY-M', '4006381333948', 0.172, true, now() - interval '60 days'),
  (3, 1, 'TEE-100-ECR-M', null, 0, false, now() - interval '60 days'),
  (4, 2, null, null, 0.62, true, now() - interval '60 days'),
  (5, 3, 'SCARF-1', '5012345678900', 0.24, true, now() - interval '60 days'),
  (6, 4, 'SHIP', null, 0, true, now() - interval '60 days');
insert into product_attribute (id, name, sequence) values (1, '{"en_US": "Color", "de_DE": "Farbe"}', 1), (2, '{"en_US": "Size", "de_DE": "Größe"}', 2);
insert into product_attribute_value (id, attribute_id, name, sequence) values
  (1, 1, '{"en_US": "Navy", "de_DE": "Marine"}', 1), (2, 1, '{"en_US": "Écru"}', 2),
  (3, 2, '{"en_US": "S"}', 1), (4, 2, '{"en_US": "M"}', 2), (5, 2, '{"en_US": "L"}', 3);
insert into product_template_attribute_value (id, product_tmpl_id, attribute_id, product_attribute_value_id) values
  (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 2, 3), (4, 1, 2, 4), (5, 2, 2, 4);
-- The sweater has sizes, but no colours; the scarf has neither.
insert into product_variant_combination values (1, 1), (1, 3), (2, 1), (2, 4), (3, 2), (3, 4), (4, 5);

insert into stock_warehouse (id, name, code, partner_id, write_date) values
  (1, 'Lager Hamburg', 'HAM', 1, now() - interval '400 days'), (2, 'Messe-Lager', 'MES', null, now() - interval '100 days');
insert into stock_location (id, name, complete_name, usage, warehouse_id) values
  (4, 'Vendors', 'Partners/Vendors', 'supplier', null), (5, 'Customers', 'Partners/Customers', 'customer', null),
  (8, 'Stock', 'HAM/Stock', 'internal', 1), (9, 'Shelf 2', 'HAM/Stock/Shelf 2', 'internal', 1), (12, 'Stock', 'MES/Stock', 'internal', 2);
insert into stock_picking_type (id, name, code, warehouse_id) values
  (1, '{"en_US": "Receipts"}', 'incoming', 1), (2, '{"en_US": "Delivery Orders"}', 'outgoing', 1);

insert into purchase_order (id, name, partner_id, partner_ref, currency_id, state, receipt_status, date_order, date_approve, date_planned, incoterm_id, incoterm_location, picking_type_id, amount_untaxed, amount_tax, amount_total, notes, write_date) values
  (1, 'P00001', 20, 'AB-77', 1, 'purchase', 'full', now() - interval '60 days', now() - interval '58 days', now() - interval '12 days', 1, 'Porto', 1, 10260, 2359.80, 12619.80, null, now() - interval '10 days'),
  (2, 'P00002', 11, null, 2, 'purchase', 'pending', now() - interval '30 days', now() - interval '27 days', now() + interval '45 days', 2, '上海', 1, 8208, 0, 8208, '<p>Handle with care</p>', now() - interval '27 days'),
  (3, 'P00003', 12, null, 1, 'sent', null, now() - interval '5 days', null, null, null, null, 1, 2910, 0, 2910, null, now() - interval '5 days'),
  (4, 'P00004', 12, null, 1, 'cancel', null, now() - interval '40 days', null, null, null, null, 1, 2910, 0, 2910, null, now() - interval '39 days');
-- Tees are ordered in dozens; scarves have a discount of 5 percent.
insert into purchase_order_line (id, order_id, sequence, display_type, product_id, name, date_planned, product_qty, product_uom_qty, price_unit, discount, price_subtotal, price_total, qty_received, qty_invoiced, write_date) values
  (1, 1, 10, 'line_section', null, 'Summer', null, 0, 0, 0, 0, 0, 0, 0, 0, now() - interval '60 days'),
  (2, 1, 11, null, 1, '[TEE-100-NVY-S] Crew neck tee', now() - interval '12 days', 25, 300, 136.8, 0, 3420, 4206.6, 25, 25, now() - interval '10 days'),
  (3, 1, 12, null, 2, '[TEE-100-NVY-M] Crew neck tee', now() - interval '12 days', 50, 600, 136.8, 0, 6840, 8413.2, 50, 40, now() - interval '10 days'),
  (4, 2, 10, null, 5, '[SCARF-1] Écharpe d''hiver', now() + interval '45 days', 800, 800, 10.8, 5, 8208, 8208, 0, 0, now() - interval '27 days'),
  (5, 3, 10, null, 4, 'Aran Sweater (M)', now() + interval '20 days', 60, 60, 48.5, 0, 2910, 2910, 0, 0, now() - interval '5 days'),
  (6, 4, 10, null, 4, 'Aran Sweater (M)', null, 60, 60, 48.5, 0, 2910, 2910, 0, 0, now() - interval '39 days');

insert into stock_picking (id, name, origin, partner_id, state, picking_type_id, scheduled_date, date_done, write_date) values
  (1, 'HAM/IN/00001', 'P00001', 10, 'done', 1, now() - interval '12 days', now() - interval '14 days', now() - interval '14 days'),
  (2, 'HAM/IN/00002', 'P00001', 10, 'done', 1, now() - interval '12 days', now() - interval '10 days', now() - interval '10 days'),
  (3, 'HAM/IN/00003', 'P00002', 11, 'assigned', 1, now() + interval '45 days', null, now() - interval '27 days'),
  (4, 'HAM/OUT/00001', 'S00012', 30, 'done', 2, now() - interval '5 days', now() - interval '5 days', now() - interval '5 days');
insert into stock_move (id, picking_id, picking_type_id, product_id, product_uom_qty, quantity, state, purchase_line_id, write_date) values
  (1, 1, 1, 1, 300, 300, 'done', 2, now() - interval '14 days'),
  (2, 1, 1, 2, 480, 480, 'done', 3, now() - interval '14 days'),
  (3, 2, 1, 2, 120, 120, 'done', 3, now() - interval '10 days'),
  (4, 3, 1, 5, 800, 800, 'assigned', 4, now() - interval '27 days'),
  (5, 4, 2, 1, 20, 20, 'done', null, now() - interval '5 days');
insert into stock_quant (id, product_id, location_id, lot_id, quantity, reserved_quantity, write_date) values
  (1, 1, 8, null, 180, 20, now() - interval '5 days'), (2, 1, 9, null, 100, 0, now() - interval '14 days'),
  (3, 2, 8, null, 600, 0, now() - interval '10 days'), (4, 1, 4, null, -300, 0, now() - interval '14 days'),
  (5, 1, 5, null, 20, 0, now() - interval '5 days');

insert into account_move (id, name, ref, move_type, state, payment_state, partner_id, date, invoice_date, invoice_date_due, currency_id, amount_untaxed, amount_tax, amount_total, amount_residual, write_date) values
  (1, 'BILL/2026/10/0001', 'FT 2026/1077', 'in_invoice', 'posted', 'partial', 10, current_date - 13, current_date - 14, current_date + 16, 1, 8892, 2045.16, 10937.16, 5937.16, now() - interval '3 days'),
  (2, 'BILL/2026/10/0002', null, 'in_invoice', 'posted', 'not_paid', 21, current_date - 9, current_date - 9, current_date + 21, 1, 1368, 314.64, 1682.64, 1682.64, now() - interval '9 days'),
  (3, null, null, 'in_invoice', 'draft', 'not_paid', 12, current_date - 2, current_date - 2, null, 1, 50, 0, 50, 50, now() - interval '2 days'),
  (4, 'BILL/2026/09/0004', 'HF-0001', 'in_invoice', 'posted', 'paid', 11, current_date - 50, current_date - 50, current_date - 20, 2, 100, 0, 100, 0, now() - interval '20 days'),
  (5, 'INV/2026/00009', null, 'out_invoice', 'posted', 'paid', 30, current_date - 4, current_date - 4, current_date, 1, 70, 0, 70, 0, now() - interval '1 day'),
  (6, 'PBNK1/2026/00001', 'TRF-991', 'entry', 'posted', 'not_paid', 10, current_date - 3, null, null, 1, 0, 0, 5000, 0, now() - interval '3 days'),
  (7, 'PBNK1/2026/00002', null, 'entry', 'posted', 'not_paid', 11, current_date - 20, null, null, 2, 0, 0, 100, 0, now() - interval '20 days'),
  (8, 'PBNK1/2026/00003', null, 'entry', 'posted', 'not_paid', 30, current_date - 1, null, null, 1, 0, 0, 70, 0, now() - interval '1 day');
insert into account_payment (id, move_id, payment_type, partner_type, partner_id, amount, currency_id, write_date) values
  (1, 6, 'outbound', 'supplier', 10, 5000, 1, now() - interval '3 days'),
  (2, 7, 'outbound', 'supplier', 11, 100, 2, now() - interval '20 days'),
  (3, 8, 'inbound', 'customer', 30, 70, 1, now() - interval '1 day');
insert into account_move_line (id, move_id, sequence, display_type, product_id, name, quantity, price_unit, price_subtotal, price_total, purchase_line_id, payment_id, write_date) values
  (1, 1, 100, 'product', 1, '[TEE-100-NVY-S] Crew neck tee', 25, 136.8, 3420, 4206.60, 2, null, now() - interval '13 days'),
  (2, 1, 100, 'product', 2, '[TEE-100-NVY-M] Crew neck tee', 40, 136.8, 5472, 6730.56, 3, null, now() - interval '13 days'),
  (3, 1, 0, 'tax', null, 'IVA 23 %', 0, 0, 0, 0, null, null, now() - interval '13 days'),
  (4, 1, 0, 'payment_term', null, '', 0, 0, 0, 0, null, null, now() - interval '3 days'),
  (5, 2, 100, 'product', 2, '[TEE-100-NVY-M] Crew neck tee', 10, 136.8, 1368, 1682.64, 3, null, now() - interval '9 days'),
  (6, 2, 0, 'payment_term', null, '', 0, 0, 0, 0, null, null, now() - interval '9 days'),
  (7, 3, 100, 'product', null, 'Courier', 1, 50, 50, 50, null, null, now() - interval '2 days'),
  (8, 4, 100, 'product', null, '打样费 (sampling)', 3, 33.33, 100, 100, null, null, now() - interval '50 days'),
  (9, 4, 0, 'payment_term', null, '', 0, 0, 0, 0, null, null, now() - interval '20 days'),
  (10, 5, 100, 'product', 1, 'Crew neck tee', 1, 70, 70, 70, null, null, now() - interval '4 days'),
  (11, 6, 0, 'payment_term', null, 'Payment', 0, 0, 0, 0, null, 1, now() - interval '3 days'),
  (12, 7, 0, 'payment_term', null, 'Payment', 0, 0, 0, 0, null, 2, now() - interval '20 days');
insert into account_partial_reconcile (id, debit_move_id, credit_move_id, amount, debit_amount_currency, credit_amount_currency, max_date) values
  (1, 11, 4, 5000, 5000, 5000, current_date - 3), (2, 12, 9, 92, 100, 100, current_date - 20);
