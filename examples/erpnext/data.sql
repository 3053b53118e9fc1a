-- A season of a small brand. Dates are around the day on which this is run.

insert into `tabSupplier` (name, creation, modified, supplier_name, supplier_group, country, default_currency, tax_id, website, on_hold, disabled) values
  ('Têxteis Conceição & Filhos, Lda.', now() - interval 2 year, now() - interval 90 day, 'Têxteis Conceição & Filhos, Lda.', 'Garments', 'Portugal', 'EUR', 'PT501442600', 'https://conceicao.example', 0, 0),
  ('江苏华纺织有限公司', now() - interval 1 year, now() - interval 80 day, '江苏华纺织有限公司', 'Garments', 'China', 'USD', null, null, 0, 0),
  ('O''Malley Knitwear', now() - interval 1 year, now() - interval 70 day, 'O''Malley Knitwear', 'Garments', 'Ireland', 'EUR', null, '', 1, 0),
  ('Zipper ''n'' Thread Ltd.', now() - interval 3 year, now() - interval 300 day, 'Zipper ''n'' Thread Ltd.', 'Trims', 'United Kingdom', null, null, null, 0, 1);

insert into `tabContact` (name, creation, modified, first_name, last_name, designation, email_id, mobile_no, is_primary_contact) values
  ('João Conceição-Têxteis', now() - interval 2 year, now() - interval 90 day, 'João', 'Conceição', 'Sales', 'joao@conceicao.example', '+351 912 345 678', 1),
  ('王芳', now() - interval 1 year, now() - interval 80 day, '芳', '王', null, 'wang.fang@huafang.example', null, 1),
  ('Ana Lima', now() - interval 30 day, now() - interval 30 day, 'Ana', null, null, null, null, 0),
  ('A customer', now(), now(), 'A', 'Customer', null, null, null, 1);
insert into `tabDynamic Link` (name, parent, parenttype, idx, link_doctype, link_name) values
  ('l1', 'João Conceição-Têxteis', 'Contact', 1, 'Supplier', 'Têxteis Conceição & Filhos, Lda.'),
  ('l2', '王芳', 'Contact', 1, 'Supplier', '江苏华纺织有限公司'),
  ('l3', 'Ana Lima', 'Contact', 1, 'Supplier', 'Têxteis Conceição & Filhos, Lda.'),
  ('l4', 'A customer', 'Contact', 1, 'Customer', 'Boutique Élan'),
  ('l5', 'Têxteis-Billing', 'Address', 1, 'Supplier', 'Têxteis Conceição & Filhos, Lda.');

insert into `tabItem Group` (name, creation, modified, item_group_name, parent_item_group, is_group, lft, rgt) values
  ('All Item Groups', now(), now(), 'All Item Groups', '', 1, 1, 8),
  ('Apparel', now(), now(), 'Apparel', 'All Item Groups', 1, 2, 5),
  ('Knitwear', now(), now(), 'Knitwear', 'Apparel', 0, 3, 4),
  ('Accessories', now(), now(), 'Accessories', 'All Item Groups', 0, 6, 7);

insert into `tabItem` (name, creation, modified, item_code, item_name, item_group, stock_uom, has_variants, variant_of, weight_per_unit, weight_uom, country_of_origin, disabled) values
  ('TEE-100', now() - interval 1 year, now() - interval 60 day, 'TEE-100', 'Crew neck tee ''Été''', 'Apparel', 'Nos', 1, null, 0, null, 'Portugal', 0),
  ('TEE-100-NVY-S', now() - interval 1 year, now() - interval 60 day, 'TEE-100-NVY-S', 'Crew neck tee ''Été'' Navy S', 'Apparel', 'Nos', 0, 'TEE-100', 165, 'Gram', 'Portugal', 0),
  ('TEE-100-NVY-M', now() - interval 1 year, now() - interval 60 day, 'TEE-100-NVY-M', 'Crew neck tee ''Été'' Navy M', 'Apparel', 'Nos', 0, 'TEE-100', 172, 'Gram', 'Portugal', 0),
  ('TEE-100-ECR-M', now() - interval 1 year, now() - interval 60 day, 'TEE-100-ECR-M', 'Crew neck tee ''Été'' Écru M', 'Apparel', 'Nos', 0, 'TEE-100', 0.172, 'Kg', 'Portugal', 1),
  ('SW-220', now() - interval 1 year, now() - interval 60 day, 'SW-220', 'Aran Sweater', 'Knitwear', 'Nos', 1, null, 0, null, null, 0),
  ('SW-220-ECR-M', now() - interval 1 year, now() - interval 60 day, 'SW-220-ECR-M', 'Aran Sweater Écru M', 'Knitwear', 'Nos', 0, 'SW-220', 0.62, 'Kg', 'Ireland', 0),
  ('SCARF-1', now() - interval 1 year, now() - interval 60 day, 'SCARF-1', 'Écharpe d''hiver', 'Accessories', 'Nos', 0, null, 240, 'Gram', null, 0);
insert into `tabItem Barcode` (name, parent, idx, barcode, barcode_type) values
  ('b1', 'TEE-100-NVY-S', 1, '4006381333931', 'EAN'),
  ('b2', 'TEE-100-NVY-M', 1, '4006381333948', 'EAN'),
  ('b3', 'SCARF-1', 1, '5012345678900', 'EAN'),
  ('b4', 'SCARF-1', 2, 'SCARF-OLD', '');
insert into `tabItem Attribute Value` (name, parent, idx, attribute_value, abbr) values
  ('v1', 'Colour', 1, 'Navy', 'NVY'), ('v2', 'Colour', 2, 'Écru', 'ECR'),
  ('v3', 'Size', 1, 'S', 'S'), ('v4', 'Size', 2, 'M', 'M'), ('v5', 'Size', 3, 'L', 'L');
insert into `tabItem Variant Attribute` (name, parent, idx, variant_of, attribute, attribute_value) values
  ('a01', 'TEE-100', 1, null, 'Colour', null), ('a02', 'TEE-100', 2, null, 'Size', null),
  ('a03', 'TEE-100-NVY-S', 1, 'TEE-100', 'Colour', 'Navy'), ('a04', 'TEE-100-NVY-S', 2, 'TEE-100', 'Size', 'S'),
  ('a05', 'TEE-100-NVY-M', 1, 'TEE-100', 'Colour', 'Navy'), ('a06', 'TEE-100-NVY-M', 2, 'TEE-100', 'Size', 'M'),
  ('a07', 'TEE-100-ECR-M', 1, 'TEE-100', 'Colour', 'Écru'), ('a08', 'TEE-100-ECR-M', 2, 'TEE-100', 'Size', 'M'),
  ('a09', 'SW-220', 1, null, 'Colour', null), ('a10', 'SW-220', 2, null, 'Size', null),
  ('a11', 'SW-220-ECR-M', 1, 'SW-220', 'Colour', 'Écru'), ('a12', 'SW-220-ECR-M', 2, 'SW-220', 'Size', 'M');
insert into `tabItem Price` (name, creation, modified, item_code, price_list, price_list_rate, currency, buying, selling, supplier) values
  ('p1', now(), now() - interval 20 day, 'TEE-100-NVY-S', 'Standard Selling', 39.90, 'EUR', 0, 1, null),
  ('p2', now(), now() - interval 10 day, 'TEE-100-NVY-M', 'Standard Selling', 42, 'EUR', 0, 1, null),
  ('p3', now(), now() - interval 10 day, 'SW-220-ECR-M', 'Standard Selling', 129, 'EUR', 0, 1, null),
  ('p4', now(), now() - interval 10 day, 'SW-220-ECR-M', 'Standard Buying', 48.5, 'EUR', 1, 0, 'O''Malley Knitwear');

insert into `tabWarehouse` (name, creation, modified, warehouse_name, company, parent_warehouse, is_group, address_line_1, city, pin) values
  ('All Warehouses - KS', now(), now(), 'All Warehouses', 'Kestrel Studio', null, 1, null, null, null),
  ('Porto - KS', now(), now(), 'Porto', 'Kestrel Studio', 'All Warehouses - KS', 0, 'Rua de Santa Catarina 12', 'Porto', '4000-447'),
  ('Rejected - KS', now(), now(), 'Rejected', 'Kestrel Studio', 'All Warehouses - KS', 0, null, null, null);

insert into `tabPurchase Order` (name, creation, modified, docstatus, supplier, company, transaction_date, schedule_date, order_confirmation_no, order_confirmation_date, currency, conversion_rate, incoterm, named_place, set_warehouse, total_qty, total, grand_total, status, per_received, per_billed) values
  ('PUR-ORD-2026-00001', now() - interval 60 day, now() - interval 10 day, 1, 'Têxteis Conceição & Filhos, Lda.', 'Kestrel Studio', current_date - interval 60 day, current_date - interval 12 day, 'AB-77', current_date - interval 58 day, 'EUR', 1, 'FCA', 'Porto', 'Porto - KS', 75, 10260, 12619.8, 'To Bill', 100, 60),
  ('PUR-ORD-2026-00002', now() - interval 30 day, now() - interval 29 day, 1, '江苏华纺织有限公司', 'Kestrel Studio', current_date - interval 30 day, current_date + interval 45 day, 'CN-2026/18', current_date - interval 27 day, 'USD', 0.92, 'FOB', '上海', 'Porto - KS', 800, 8640, 8640, 'To Receive and Bill', 0, 0),
  ('PUR-ORD-2026-00003', now() - interval 5 day, now() - interval 5 day, 1, 'O''Malley Knitwear', 'Kestrel Studio', current_date - interval 5 day, null, null, null, 'EUR', 1, null, null, null, 60, 2910, 2910, 'To Receive and Bill', 0, 0),
  ('PUR-ORD-2026-00004', now() - interval 1 day, now() - interval 1 day, 0, 'O''Malley Knitwear', 'Kestrel Studio', current_date, null, null, null, 'EUR', 1, null, null, null, 10, 90, 90, 'Draft', 0, 0),
  ('PUR-ORD-2026-00005', now() - interval 40 day, now() - interval 39 day, 2, 'O''Malley Knitwear', 'Kestrel Studio', current_date - interval 40 day, null, null, null, 'EUR', 1, null, null, null, 60, 2910, 2910, 'Cancelled', 0, 0);
-- Tees are ordered in dozens.
insert into `tabPurchase Order Item` (name, creation, modified, docstatus, parent, idx, item_code, item_name, schedule_date, qty, uom, conversion_factor, stock_uom, stock_qty, rate, stock_uom_rate, amount, warehouse) values
  ('poi-1', now() - interval 60 day, now() - interval 10 day, 1, 'PUR-ORD-2026-00001', 1, 'TEE-100-NVY-S', 'Crew neck tee', current_date - interval 12 day, 25, 'Dozen', 12, 'Nos', 300, 136.8, 11.4, 3420, 'Porto - KS'),
  ('poi-2', now() - interval 60 day, now() - interval 10 day, 1, 'PUR-ORD-2026-00001', 2, 'TEE-100-NVY-M', 'Crew neck tee', current_date - interval 12 day, 50, 'Dozen', 12, 'Nos', 600, 136.8, 11.4, 6840, 'Porto - KS'),
  ('poi-3', now() - interval 30 day, now() - interval 29 day, 1, 'PUR-ORD-2026-00002', 1, 'SCARF-1', 'Écharpe d''hiver', current_date + interval 45 day, 800, 'Nos', 1, 'Nos', 800, 10.8, 10.8, 8640, 'Porto - KS'),
  ('poi-4', now() - interval 5 day, now() - interval 5 day, 1, 'PUR-ORD-2026-00003', 1, 'SW-220-ECR-M', 'Aran Sweater', null, 60, 'Nos', 1, 'Nos', 60, 48.5, 48.5, 2910, 'Porto - KS'),
  ('poi-5', now() - interval 1 day, now() - interval 1 day, 0, 'PUR-ORD-2026-00004', 1, 'SCARF-1', 'Écharpe d''hiver', null, 10, 'Nos', 1, 'Nos', 10, 9, 9, 90, 'Porto - KS'),
  ('poi-6', now() - interval 40 day, now() - interval 39 day, 2, 'PUR-ORD-2026-00005', 1, 'SW-220-ECR-M', 'Aran Sweater', null, 60, 'Nos', 1, 'Nos', 60, 48.5, 48.5, 2910, 'Porto - KS');

insert into `tabPurchase Receipt` (name, creation, modified, docstatus, supplier, supplier_delivery_note, posting_date, posting_time, set_warehouse, is_return, status) values
  ('MAT-PRE-2026-00001', now() - interval 14 day, now() - interval 14 day, 1, 'Têxteis Conceição & Filhos, Lda.', 'GT 2026/881', current_date - interval 14 day, '10:15:00', 'Porto - KS', 0, 'To Bill'),
  ('MAT-PRE-2026-00002', now() - interval 10 day, now() - interval 10 day, 1, 'Têxteis Conceição & Filhos, Lda.', null, current_date - interval 10 day, '16:40:12.5', null, 0, 'To Bill'),
  ('MAT-PRE-2026-00003', now() - interval 9 day, now() - interval 9 day, 1, 'Têxteis Conceição & Filhos, Lda.', null, current_date - interval 9 day, '09:00:00', 'Porto - KS', 1, 'Return');
insert into `tabPurchase Receipt Item` (name, creation, modified, docstatus, parent, idx, item_code, received_qty, qty, rejected_qty, conversion_factor, received_stock_qty, warehouse, purchase_order, purchase_order_item) values
  ('pri-1', now(), now() - interval 14 day, 1, 'MAT-PRE-2026-00001', 1, 'TEE-100-NVY-S', 25, 25, 0, 12, 300, 'Porto - KS', 'PUR-ORD-2026-00001', 'poi-1'),
  ('pri-2', now(), now() - interval 14 day, 1, 'MAT-PRE-2026-00001', 2, 'TEE-100-NVY-M', 40, 38, 2, 12, 480, 'Porto - KS', 'PUR-ORD-2026-00001', 'poi-2'),
  ('pri-3', now(), now() - interval 10 day, 1, 'MAT-PRE-2026-00002', 1, 'TEE-100-NVY-M', 10, 10, 0, 12, 120, 'Porto - KS', 'PUR-ORD-2026-00001', 'poi-2'),
  ('pri-4', now(), now() - interval 9 day, 1, 'MAT-PRE-2026-00003', 1, 'TEE-100-NVY-M', -1, -1, 0, 12, -12, 'Porto - KS', 'PUR-ORD-2026-00001', 'poi-2');

insert into `tabBin` (name, creation, modified, item_code, warehouse, actual_qty, reserved_qty, reserved_stock, ordered_qty, valuation_rate) values
  ('bin-1', now(), now() - interval 10 day, 'TEE-100-NVY-S', 'Porto - KS', 280, 400, 20, 0, 11.4),
  ('bin-2', now(), now() - interval 9 day, 'TEE-100-NVY-M', 'Porto - KS', 564, 0, 0, 0, 11.4),
  ('bin-3', now(), now() - interval 30 day, 'SCARF-1', 'Porto - KS', 0, 0, 0, 800, 0);

insert into `tabPurchase Invoice` (name, creation, modified, docstatus, supplier, bill_no, bill_date, posting_date, due_date, currency, conversion_rate, is_return, net_total, total_taxes_and_charges, grand_total, outstanding_amount, status) values
  ('ACC-PINV-2026-00001', now() - interval 13 day, now() - interval 3 day, 1, 'Têxteis Conceição & Filhos, Lda.', 'FT 2026/1077', current_date - interval 14 day, current_date - interval 13 day, current_date + interval 16 day, 'EUR', 1, 0, 8892, 2045.16, 10937.16, 5937.16, 'Partly Paid'),
  ('ACC-PINV-2026-00002', now() - interval 9 day, now() - interval 9 day, 1, 'Têxteis Conceição & Filhos, Lda.', null, null, current_date - interval 9 day, current_date + interval 21 day, 'EUR', 1, 0, 1368, 314.64, 1682.64, 1682.64, 'Unpaid'),
  ('ACC-PINV-2026-00003', now() - interval 2 day, now() - interval 2 day, 0, 'O''Malley Knitwear', null, null, current_date - interval 2 day, null, 'EUR', 1, 0, 50, 0, 50, 50, 'Draft'),
  ('ACC-PINV-2026-00004', now() - interval 50 day, now() - interval 20 day, 1, '江苏华纺织有限公司', 'HF-0001', current_date - interval 50 day, current_date - interval 50 day, current_date - interval 20 day, 'USD', 0.92, 0, 100, 0, 100, 0, 'Paid');
insert into `tabPurchase Invoice Item` (name, creation, modified, docstatus, parent, idx, item_code, item_name, qty, stock_qty, rate, stock_uom_rate, amount, net_amount, purchase_order, po_detail) values
  ('pii-1', now(), now() - interval 13 day, 1, 'ACC-PINV-2026-00001', 1, 'TEE-100-NVY-S', 'Crew neck tee ''Été'' Navy S', 25, 300, 136.8, 11.4, 3420, 3420, 'PUR-ORD-2026-00001', 'poi-1'),
  ('pii-2', now(), now() - interval 13 day, 1, 'ACC-PINV-2026-00001', 2, 'TEE-100-NVY-M', 'Crew neck tee ''Été'' Navy M', 40, 480, 136.8, 11.4, 5472, 5472, 'PUR-ORD-2026-00001', 'poi-2'),
  ('pii-3', now(), now() - interval 9 day, 1, 'ACC-PINV-2026-00002', 1, 'TEE-100-NVY-M', 'Crew neck tee ''Été'' Navy M', 10, 120, 136.8, 11.4, 1368, 1368, 'PUR-ORD-2026-00001', 'poi-2'),
  ('pii-4', now(), now() - interval 2 day, 0, 'ACC-PINV-2026-00003', 1, null, 'Courier', 1, 1, 50, 50, 50, 50, null, null),
  ('pii-5', now(), now() - interval 50 day, 1, 'ACC-PINV-2026-00004', 1, null, '打样费 (sampling)', 1, 1, 100, 100, 100, 100, null, null);
insert into `tabPurchase Taxes and Charges` (name, creation, modified, docstatus, parent, parenttype, idx, description, rate, tax_amount) values
  ('tax-1', now(), now() - interval 13 day, 1, 'ACC-PINV-2026-00001', 'Purchase Invoice', 1, 'IVA 23 %', 23, 2045.16),
  ('tax-2', now(), now() - interval 9 day, 1, 'ACC-PINV-2026-00002', 'Purchase Invoice', 1, 'IVA 23 %', 23, 314.64),
  ('tax-3', now(), now() - interval 60 day, 1, 'PUR-ORD-2026-00001', 'Purchase Order', 1, 'IVA 23 %', 23, 2359.8);

insert into `tabPayment Entry` (name, creation, modified, docstatus, payment_type, party_type, party, posting_date, mode_of_payment, reference_no, paid_amount, paid_from_account_currency, received_amount, paid_to_account_currency, remarks) values
  ('ACC-PAY-2026-00001', now() - interval 3 day, now() - interval 3 day, 1, 'Pay', 'Supplier', 'Têxteis Conceição & Filhos, Lda.', current_date - interval 3 day, 'Wire Transfer', 'TRF-991', 5000, 'EUR', 5000, 'EUR', 'First part'),
  ('ACC-PAY-2026-00002', now() - interval 20 day, now() - interval 20 day, 1, 'Pay', 'Supplier', '江苏华纺织有限公司', current_date - interval 20 day, 'Wire Transfer', null, 92, 'EUR', 100, 'USD', null),
  ('ACC-PAY-2026-00003', now() - interval 1 day, now() - interval 1 day, 1, 'Receive', 'Customer', 'Boutique Élan', current_date - interval 1 day, 'Cash', null, 70, 'EUR', 70, 'EUR', null);
insert into `tabPayment Entry Reference` (name, creation, modified, docstatus, parent, idx, reference_doctype, reference_name, allocated_amount) values
  ('per-1', now(), now() - interval 3 day, 1, 'ACC-PAY-2026-00001', 1, 'Purchase Invoice', 'ACC-PINV-2026-00001', 5000),
  ('per-2', now(), now() - interval 20 day, 1, 'ACC-PAY-2026-00002', 1, 'Purchase Invoice', 'ACC-PINV-2026-00004', 100),
  ('per-3', now(), now() - interval 1 day, 1, 'ACC-PAY-2026-00003', 1, 'Sales Invoice', 'ACC-SINV-2026-00009', 70);
