-- What was ordered from each supplier in each month, and what is still owed to it.
with ordered as (
  select
    supplier_id,
    currency,
    date_trunc('month', order_date) as month,
    count(*) as orders,
    sum(total_quantity) as quantity,
    sum(total_amount) as amount
  from {{ ref('stg_orders') }}
  group by all
),
owed as (
  select
    supplier_id,
    currency,
    sum(balance_amount) as balance
  from {{ ref('stg_invoices') }}
  where status not in ('draft', 'void')
    and kind <> 'credit_note'
  group by all
)
select
  suppliers.supplier_name,
  ordered.month,
  ordered.currency,
  ordered.orders,
  ordered.quantity,
  ordered.amount,
  coalesce(owed.balance, 0) as balance_today
from ordered
join {{ ref('stg_suppliers') }} as suppliers using (supplier_id)
left join owed using (supplier_id, currency)
