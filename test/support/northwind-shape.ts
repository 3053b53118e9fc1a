import type { SampleTable } from '#mapping'
import { databaseTable } from './sample-tables.ts'

const day = '1996-07-04'

/** A few rows in the shape of a public sample database of a food trader, which sells. */
export const trader: readonly SampleTable[] = [
  databaseTable('categories', {
    columns: { category_id: 'whole', category_name: 'text', description: 'text' },
    key: ['category_id'],
    rows: [
      [1, 'Beverages', 'Soft drinks, coffees, teas, beers and ales'],
      [2, 'Condiments', 'Sweet and savory sauces, relishes, spreads'],
    ],
  }),
  databaseTable('customers', {
    columns: { customer_id: 'text', company_name: 'text', city: 'text', country: 'text' },
    key: ['customer_id'],
    rows: [['ALFKI', 'Alfreds Futterkiste', 'Berlin', 'Germany']],
  }),
  databaseTable('employees', {
    columns: { employee_id: 'whole', last_name: 'text', first_name: 'text', hire_date: 'date' },
    key: ['employee_id'],
    rows: [[1, 'Davolio', 'Nancy', '1992-05-01']],
  }),
  databaseTable('suppliers', {
    columns: {
      ...{ supplier_id: 'whole', company_name: 'text', contact_name: 'text' },
      ...{ contact_title: 'text', address: 'text', city: 'text', region: 'text' },
      ...{ postal_code: 'text', country: 'text', phone: 'text', homepage: 'text' },
    },
    key: ['supplier_id'],
    rows: [
      [
        1,
        'Exotic Liquids',
        'Charlotte Cooper',
        'Purchasing Manager',
        '49 Gilbert St.',
        'London',
        null,
        'EC1 4SD',
        'UK',
        '(171) 555-2222',
        null,
      ],
      [
        2,
        "Grandma Kelly's Homestead",
        'Regina Murphy',
        'Sales Representative',
        '707 Oxford Rd.',
        'Ann Arbor',
        'MI',
        '48104',
        'USA',
        '(313) 555-5735',
        null,
      ],
      [
        3,
        'Tokyo Traders 東京',
        'Yoshi Nagase',
        'Marketing Manager',
        '9-8 Sekimai',
        'Tokyo',
        null,
        '100',
        'Japan',
        '(03) 3555-5011',
        null,
      ],
    ],
  }),
  databaseTable('products', {
    columns: {
      ...{ product_id: 'whole', product_name: 'text', supplier_id: 'whole', category_id: 'whole' },
      ...{ quantity_per_unit: 'text', unit_price: 'decimal', units_in_stock: 'whole' },
      ...{ units_on_order: 'whole', reorder_level: 'whole', discontinued: 'flag' },
    },
    key: ['product_id'],
    to: { supplier_id: 'suppliers.supplier_id', category_id: 'categories.category_id' },
    rows: [
      [1, 'Chai', 1, 1, '10 boxes x 20 bags', 18, 39, 0, 10, false],
      [2, 'Chang', 1, 1, '24 - 12 oz bottles', 19, 17, 40, 25, false],
      [5, "Chef Anton's Gumbo Mix", 2, 2, '36 boxes', 21.35, 0, 0, 0, true],
    ],
  }),
  databaseTable('orders', {
    columns: {
      ...{ order_id: 'whole', customer_id: 'text', employee_id: 'whole', order_date: 'date' },
      ...{ required_date: 'date', shipped_date: 'date', freight: 'decimal', ship_country: 'text' },
    },
    key: ['order_id'],
    to: { customer_id: 'customers.customer_id', employee_id: 'employees.employee_id' },
    rows: [[10248, 'ALFKI', 1, day, '1996-08-01', '1996-07-16', 32.38, 'France']],
  }),
  databaseTable('order_details', {
    columns: {
      ...{ order_id: 'whole', product_id: 'whole', unit_price: 'decimal' },
      ...{ quantity: 'whole', discount: 'decimal' },
    },
    key: ['order_id', 'product_id'],
    to: { order_id: 'orders.order_id', product_id: 'products.product_id' },
    rows: [
      [10248, 1, 14, 12, 0],
      [10248, 2, 9.8, 10, 0.15],
    ],
  }),
]
