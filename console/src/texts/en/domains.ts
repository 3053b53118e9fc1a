/** The domains that the groups belong to. */
export const domains = {
  network: 'Network',
  reference: 'Reference',
  catalog: 'Catalog',
  sourcing: 'Sourcing',
  orders: 'Orders',
  logistics: 'Logistics',
  finance: 'Finance',
  documents: 'Documents',
}
