/** The business rules as they are written down for people: id, severity, collections, sentence. */
const page = `
CAT-01 | error | skus | A SKU and its product option belong to the same product.
CAT-02 | error | skus, sku-dimension-values, dimension-group-dimensions | A SKU has exactly one value for each dimension of its product's dimension group.
CAT-03 | error | skus, sku-dimension-values | No two SKUs of a product option have the same dimension values.
CAT-04 | error | sku-dimension-values, product-option-dimension-values | A SKU has only dimension values that its product option is offered in.
CAT-05 | error | product-option-values | A product option has at most one value per option, and no two options of a product have the same values.
CAT-06 | error | product-versions | Versions of a product are numbered 1, 2, 3 ... and at most one is approved.
CAT-07 | error | boms, measurement-tables | A bill of materials or measurement table and the SKUs it applies to belong to the product of its version.
CAT-08 | error | bom-components, boms | extendedCost = quantity x (1 + wastagePercent / 100) x unitPrice to four places, and the totalCost of a bill of materials is the sum of its components.
CAT-09 | error | bom-components | A component's material variant is a variant of its material.
CAT-10 | error | materials | The fibres of a material add up to 100 percent.
CAT-11 | error | measurement-table-skus | Graded values cover every point of the table once.
CAT-12 | warning | measurement-table-skus | A graded value is base + gradeStep x steps from the base size, if gradeStep is set.
CAT-13 | warning | bom-sections | relevantFieldKeys contains only field names of bom-components.
CAT-14 | error | product-relations | A product is not related to itself.
CAT-15 | error | categories, parent-products, materials | A category is one level below its parent and has the same kind; products have product categories, and materials have material categories.
CAT-16 | warning | custom-field-definitions | Every key in customFields is defined for that kind of record.
DIM-01 | error | dimension-curves, dimension-curve-axes | A curve has one or two axes, numbered from 1, over dimensions of its group.
DIM-02 | error | dimension-curve-axis-values | A value on an axis is a value of the axis's dimension.
DIM-03 | error | dimension-curve-cells | A cell belongs to its curve: the row value is from axis 1 and the column value from axis 2; there is a column value if and only if there is an axis 2.
DIM-04 | error | dimension-curve-cells, dimension-curves | The shares of a size curve add up to 100; the units of a prepack to totalUnits.
REF-01 | error | payment-terms | The instalments of a payment term add up to 100 percent.
REF-02 | error | carton-sizes, packing-templates | The volume of a carton is length x width x height; pieces per carton = inner packs x pieces per pack.
REF-03 | warning | launch-windows, collections | A window or collection ends after it starts.
NET-01 | error | contacts, partner-locations, brand-locations | At most one primary contact per partner and role, one primary site per partner and role, one default location per role.
NET-02 | error | suppliers, contacts | The default contact and site of a supplier belong to its partner.
NET-03 | error | locations, brand-locations, partner-locations | Every location is used by the brand or by a partner.
SRC-01 | error | quote-price-bands | Price bands of an item are contiguous, without gaps or overlaps, and the last band has no upper limit.
SRC-02 | warning | quote-price-bands | A larger quantity does not cost more per unit.
SRC-03 | error | quote-items, quote-price-bands | The unit price of an item is the price of the band that contains its quantity.
SRC-04 | error | quotes, quote-revisions | Revisions of a quote are numbered 1, 2, 3 ...; a quote is accepted if and only if one of them is.
SRC-05 | error | quote-notes | A note on a revision refers to the quote of the revision.
SRC-06 | error | samples, sample-rounds | Rounds are numbered 1, 2, 3 ...; a sample is approved if and only if its last round is.
SRC-07 | error | sample-checklist-results | A result is for an item of the sample's checklist, and an approved round has no failed required item.
SRC-08 | warning | sample-rounds | The measurements of an approved round are within tolerance of the graded values of its SKU (or of the base size).
ORD-01 | error | orders, order-items | totalQuantity and totalAmount of an order are the sums of its items.
ORD-02 | error | orders, order-amendments | The revisionNumber of an order is the highest of its applied amendments, or 0 if there are none.
ORD-03 | error | orders, quote-revisions | An order has the supplier and currency of the quote that it is based on.
ORD-04 | error | order-items | The SKU and the product version of an order item belong to the same product.
ORD-05 | error | order-items | unitPriceBase = unitPrice x the order's exchangeRate, to four places.
ORD-06 | error | order-amendments | Only applied amendments have appliedAt; rejected amendments have a reason; the quote revision of an amendment belongs to the quote of the order.
ORD-07 | warning | order-amendments | An amendment that is applied to an order that has changed since baselineUpdatedAt has an overrideReason.
PRD-01 | error | production-run-items | The order item of a run item belongs to the order of the run.
PRD-02 | error | production-run-items, order-items | Runs that are not retracted produce at most the ordered quantity of an item plus the tolerance.
PRD-03 | error | production-run-item-revisions | Revisions of a run item form a chain (each previousQuantity is the previous quantity) that ends at its current quantity.
PRD-04 | error | production-runs, shipment-items | A retracted run has a user and a reason, and none of its goods were shipped.
PRD-05 | warning | production-runs, partner-locations | A run's origin is a site of the order's supplier.
SHP-01 | error | shipment-items, booking-items | SKU, order item and run item of a shipment item or booking item are consistent.
SHP-02 | error | order-shipments, shipment-items | order-shipments contains exactly the pairs that follow from the shipment items.
SHP-03 | error | shipment-items, production-run-items | The shipped quantity of a run item is at most the quantity made (forwarded goods are counted once).
SHP-04 | error | shipment-carton-items, shipment-items | Cartons contain at most the quantity of a shipment item, and exactly that quantity once the shipment has left.
SHP-05 | error | shipment-carton-items | A carton and the shipment item in it belong to the same shipment and have the same SKU.
SHP-06 | error | shipment-cartons | The gross weight of a carton is at least its net weight, and its volume is the product of its sides.
SHP-07 | error | shipments, shipment-items, shipment-cartons | A shipment's totals are the sums of its items and cartons.
SHP-08 | error | legs, shipments | Legs are numbered 1, 2, 3 ...; each starts where the previous leg ended; the first starts at the shipment's origin and the last ends at its destination.
SHP-09 | error | legs, shipments | Departures come before arrivals, and a leg does not depart before the previous leg has arrived.
SHP-10 | error | leg-items | A leg carries items of its shipment, and at most the shipped quantity.
SHP-11 | error | legs, shipment-bookings | The booking of a leg is one of the bookings of its shipment.
SHP-12 | warning | booking-items, shipment-items | Shipments on a booking carry at most the booked quantity of an order item.
SHP-13 | error | shipment-item-lineages | A lineage connects two different items of the same SKU and is at most the quantity of its target; lineages have no cycles.
PKL-01 | warning | packing-lists, packing-list-lines | A packing list's stated totals are the sums of its lines.
PKL-02 | warning | packing-lists, shipment-cartons | A packing list matches the cartons recorded for it: number, pieces, gross weight.
PKL-03 | error | packing-lists | Order, shipment and supplier of a packing list are consistent.
PKL-04 | warning | packing-list-lines | A line's quantity is its cartons x the quantity per carton; a matched line has the SKU of its shipment item.
RCV-01 | error | goods-receipt-lines | Damaged plus rejected is at most received; a discrepancy or damage has a reason.
RCV-02 | warning | goods-receipt-lines, shipment-items | Receipts of a shipment item add up to what was shipped (a difference is a short or over delivery, not a data error).
RCV-03 | error | goods-receipts, brand-locations | Goods are received at a location that receives goods and is the destination of the shipment; the item of a line belongs to the shipment of the receipt.
RCV-04 | error | shipments, goods-receipts | A received shipment has a completed receipt that is not earlier than its delivery.
INV-01 | error | inventory | onHand = available + reserved + damaged + quality hold, all at least 0, at a location of the brand that receives goods.
INV-02 | warning | inventory, goods-receipt-lines | The stock of a SKU at a location is at most the quantity received there (if the brand records no other inflow).
FIN-01 | error | invoices, invoice-lines | subtotal = sum of the lines, tax = sum of their tax, total = subtotal + tax.
FIN-02 | warning | invoices | The total on the document equals the total of the record.
FIN-03 | error | invoice-lines | The amount of a line is quantity x unitPrice to the cent, if both are set.
FIN-04 | error | invoices, payment-settlements | paid = sum of the settlements that are not reversed; balance = total - credited - paid.
FIN-05 | error | invoices | Credit notes are negative and add up to the credited amount of the invoice they reduce, in the same currency and from the same partner.
FIN-06 | error | payments, payment-settlements | The settlements of a payment that are not reversed add up to at most its amount.
FIN-07 | warning | payments, payment-settlements | A completed payment is settled in full.
FIN-08 | error | payment-settlements | A settlement pays the partner that issued the invoice; the invoice and the agreement of the milestone have the same order.
FIN-09 | error | payment-agreements, payment-milestones | The milestones of an agreement are numbered 1, 2, 3 ... and add up to its total; an amount with a percent is that percentage of the total.
FIN-10 | warning | payment-agreements, orders | The total of an agreement equals the total of its order.
FIN-11 | error | payment-milestones, payment-settlements | The settled plus waived amount of a milestone is at most its amount, and equal to it once the milestone is paid.
FIN-12 | error | invoices | A paid invoice has no balance; a partly paid one has both a payment and a balance.
FIN-13 | error | invoice-lines, shipment-items | The invoiced quantity of a shipment item is at most the shipped quantity.
FIN-14 | warning | invoice-lines, order-items | Goods are invoiced at the ordered price.
FIN-15 | error | invoice-lines | The deposits deducted on the invoices of an order are at most the deposits invoiced for it.
FIN-16 | error | shipment-charges, invoice-lines | An invoiced charge is invoiced at its amount, and an estimated charge is not invoiced; baseAmount = amount x exchangeRate.
FIN-17 | error | invoices, payments, payment-agreements | If both supplier and partner are set, the supplier belongs to the partner.
FIN-18 | warning | payment-receipts, payments | The received amount plus the deducted fee equals the sent amount, in the same currency.
FIN-19 | warning | invoices, goods-receipt-lines | Three-way match: the invoiced amount of an order, net of credit notes, equals the received quantity at the ordered price.
DOC-01 | error | notes, images | A note refers to exactly one record; an image refers to at least one, unless it is a logo.
DOC-02 | error | documents | A document that replaces another has the next version number, and the other one is superseded.
DOC-03 | warning | images, option-values | An option value with a swatch version has a swatch image of that version.
DOC-04 | warning | documents | A certificate in use has not expired.
`

/** A row for each rule: its id, severity, collections and sentence. */
export const invariants: readonly (readonly string[])[] = page
  .trim()
  .split('\n')
  .map((row) => row.split(' | '))
