-- Orders that have not left the supplier in full although their ex-factory date has passed.
select
  orders.order_number,
  suppliers.supplier_name,
  orders.status,
  orders.ex_factory_date,
  current_date - orders.ex_factory_date as days_late,
  orders.total_amount,
  orders.currency
from {{ ref('stg_orders') }} as orders
join {{ ref('stg_suppliers') }} as suppliers using (supplier_id)
where orders.status in ('sent', 'confirmed', 'in_production', 'partially_shipped')
  and orders.ex_factory_date < current_date
