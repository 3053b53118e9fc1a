-- Exact decimals: amounts of invoices have at most four places here.
select
  id as invoice_id,
  invoiceNumber as invoice_number,
  supplierId as supplier_id,
  kind,
  status,
  currency,
  dueDate as due_date,
  cast(totalAmountText as decimal(18, 4)) as total_amount,
  cast(balanceAmountText as decimal(18, 4)) as balance_amount
from {{ source('selvedge', 'invoices') }}
where deletedAt is null
