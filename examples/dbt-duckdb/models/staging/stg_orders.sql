-- Orders that were not deleted, with the date that counts: the confirmed one, else the requested one.
select
  id as order_id,
  orderNumber as order_number,
  supplierId as supplier_id,
  status,
  currency,
  orderDate as order_date,
  coalesce(confirmedExFactoryDate, requestedExFactoryDate) as ex_factory_date,
  totalQuantity as total_quantity,
  totalAmount as total_amount,
  totalAmount * coalesce(exchangeRate, 1) as base_amount,
  updatedAt as updated_at
from {{ source('selvedge', 'orders') }}
where deletedAt is null
