-- One row for each line of an order, with what it is worth.
select
  orders.order_number,
  items.id as order_item_id,
  skus.code as sku_code,
  items.qty as quantity,
  items.unitPrice as unit_price,
  items.qty * items.unitPrice as amount,
  orders.currency
from {{ source('selvedge', 'order_items') }} as items
join {{ ref('stg_orders') }} as orders on orders.order_id = items.orderId
left join {{ source('selvedge', 'skus') }} as skus on skus.id = items.skuId
