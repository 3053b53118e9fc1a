select
  id as supplier_id,
  code as supplier_code,
  name as supplier_name,
  status
from {{ source('selvedge', 'suppliers') }}
