/** The business rules as they are written down for people: id, severity, collections, sentence. */
const page = `
CAT-01 | error | skus | A SKU and its product option belong to the same product.
CAT-02 | error | skus, sku-dimension-values, dimension-group-dimensions | A SKU has exactly one value for each dimension of its product's dimension group.
CAT-03 | error | skus, sku-dimension-values | No two SKUs of a product option have the same dimension values.
CAT-04 | error | sku-dimension-values, product-option-dimension-values | A SKU exists only in dimension values its product option is offered in.
CAT-05 | error | product-option-values | A product option has at most one value per option, and no two options of a product have the same values.
CAT-06 | error | product-versions | Versions of a product are numbered 1, 2, 3 ... and at most one is approved.
CAT-07 | error | boms, measurement-tables | A bill of materials or measurement table belongs to the product of its version, and so do the SKUs it applies to.
CAT-08 | error | bom-components, boms | extendedCost = quantity x (1 + wastagePercent / 100) x unitPrice to four places, and a bill's totalCost is the sum of them.
CAT-09 | error | bom-components | A component's material variant is a variant of its material.
CAT-10 | error | materials | The fibres of a material add up to 100 percent.
CAT-11 | error | measurement-table-skus | Graded values cover every point of the table once.
CAT-12 | warning | measurement-table-skus | A graded value is base + gradeStep x steps from the base size, where a step is given.
CAT-13 | warning | bom-sections | relevantFieldKeys names fields of bom-components.
CAT-14 | error | product-relations | A product is not related to itself.
CAT-15 | error | categories, parent-products, materials | A category is one level below its parent and of the same kind; products use product categories, materials material ones.
CAT-16 | warning | custom-field-definitions | Every key in customFields is defined for that kind of record.
DIM-01 | error | dimension-curves, dimension-curve-axes | A curve has one or two axes, numbered from 1, over dimensions of its group.
DIM-02 | error | dimension-curve-axis-values | A value on an axis is a value of the axis's dimension.
DIM-03 | error | dimension-curve-cells | A cell lies on its curve: row value from axis 1, column value from axis 2, and a column exactly when there is an axis 2.
DIM-04 | error | dimension-curve-cells, dimension-curves | The shares of a size curve add up to 100; the units of a prepack to totalUnits.
REF-01 | error | payment-terms | The instalments of a payment term add up to 100 percent.
REF-02 | error | carton-sizes, packing-templates | A carton's volume is length x width x height, and inner packs x pieces per pack make the pieces per carton.
REF-03 | warning | launch-windows, collections | A window or collection ends after it starts.
NET-01 | error | contacts, partner-locations, brand-locations | At most one primary contact per partner and role, one primary site per partner and role, one default location per role.
NET-02 | error | suppliers, contacts | A supplier's default contact and site are of its own partner.
NET-03 | error | locations, brand-locations, partner-locations | Every location is visible to the brand through a use of its own or of a partner.
SRC-01 | error | quote-price-bands | Price bands of an item follow on from each other without gap or overlap, and the last one is open.
SRC-02 | warning | quote-price-bands | A larger quantity does not cost more per unit.
SRC-03 | error | quote-items, quote-price-bands | The unit price of an item is the one of the band its quantity falls into.
SRC-04 | error | quotes, quote-revisions | Revisions of a quote are numbered 1, 2, 3 ...; a quote is accepted exactly when one of them is.
SRC-05 | error | quote-notes | A note on a revision is a note on the same quote.
SRC-06 | error | samples, sample-rounds | Rounds are numbered 1, 2, 3 ...; a sample is approved exactly when its last round is.
SRC-07 | error | sample-checklist-results | A result is for an item of the sample's checklist, and an approved round has no failed required item.
SRC-08 | warning | sample-rounds | An approved round measures within tolerance of the graded value of its SKU (or of the base size).
ORD-01 | error | orders, order-items | totalQuantity and totalAmount of an order are the sums of its items.
ORD-02 | error | orders, order-amendments | An order's revisionNumber is the highest among its applied amendments, 0 without any.
ORD-03 | error | orders, quote-revisions | An order names the supplier and currency of the quote it was placed on.
ORD-04 | error | order-items | The SKU and the product version of an order item are of the same product.
ORD-05 | error | order-items | unitPriceBase = unitPrice x the order's exchangeRate, to four places.
ORD-06 | error | order-amendments | Applied amendments, and only those, have appliedAt; rejected ones say why; a quote revision they carry is of the order's own quote.
ORD-07 | warning | order-amendments | An amendment applied to an order that had changed since baselineUpdatedAt gives an overrideReason.
PRD-01 | error | production-run-items | The order item of a run item is on the run's order.
PRD-02 | error | production-run-items, order-items | Runs that were not retracted make no more of an item than ordered plus the tolerance.
PRD-03 | error | production-run-item-revisions | Revisions of a run item form a chain (each previousQuantity is the quantity before), ending in its present quantity.
PRD-04 | error | production-runs, shipment-items | A retracted run says who and why, and nothing of it was shipped.
PRD-05 | warning | production-runs, partner-locations | A run's origin is a site of the order's supplier.
SHP-01 | error | shipment-items, booking-items | SKU, order item and run item of a shipment item or booking item agree.
SHP-02 | error | order-shipments, shipment-items | order-shipments holds exactly the pairs that the shipment items make.
SHP-03 | error | shipment-items, production-run-items | No more of a run item is shipped than was made (items that goods were forwarded onto are not counted again).
SHP-04 | error | shipment-carton-items, shipment-items | Cartons hold no more of a shipment item than its quantity, and exactly that once the shipment has left.
SHP-05 | error | shipment-carton-items | A carton and the shipment item in it are of the same shipment, with the same SKU.
SHP-06 | error | shipment-cartons | A carton weighs at least its content, and its volume follows from its sides.
SHP-07 | error | shipments, shipment-items, shipment-cartons | A shipment's totals are the sums of its items and cartons.
SHP-08 | error | legs, shipments | Legs are numbered 1, 2, 3 ...; each starts where the one before ended; the first starts at the shipment's origin and the last ends at its destination.
SHP-09 | error | legs, shipments | Departures come before arrivals, and a leg does not leave before the one before arrived.
SHP-10 | error | leg-items | A leg carries items of its own shipment, and no more of them than shipped.
SHP-11 | error | legs, shipment-bookings | A leg's booking is one of its shipment's bookings.
SHP-12 | warning | booking-items, shipment-items | Shipments on a booking carry no more of an order item than was booked.
SHP-13 | error | shipment-item-lineages | A lineage joins two different items of the same SKU, and is no larger than the item it leads to; the lineages form no circle.
PKL-01 | warning | packing-lists, packing-list-lines | A packing list's stated totals are the sums of its lines.
PKL-02 | warning | packing-lists, shipment-cartons | A packing list agrees with the cartons recorded under it: number, pieces, gross weight.
PKL-03 | error | packing-lists | Order, shipment and supplier of a packing list belong together.
PKL-04 | warning | packing-list-lines | A line's quantity is its cartons x the quantity per carton; a matched line agrees with its shipment item's SKU.
RCV-01 | error | goods-receipt-lines | Damaged plus rejected is no more than received; a difference or damage has a reason.
RCV-02 | warning | goods-receipt-lines, shipment-items | Receipts of a shipment item add up to what was shipped (a finding, not a fault: it is the short or over delivery).
RCV-03 | error | goods-receipts, brand-locations | Goods are received where the brand receives goods, at the shipment's destination; a line's item is on the receipt's shipment.
RCV-04 | error | shipments, goods-receipts | A received shipment has a completed receipt, not earlier than its delivery.
INV-01 | error | inventory | onHand = available + reserved + damaged + quality hold, all of them at least 0, at a location of the brand that receives goods.
INV-02 | warning | inventory, goods-receipt-lines | A location holds no more of a SKU than was ever received there (only while the brand records no other inflow).
FIN-01 | error | invoices, invoice-lines | subtotal = sum of the lines, tax = sum of their tax, total = subtotal + tax.
FIN-02 | warning | invoices | The total printed on the document is the total of the record.
FIN-03 | error | invoice-lines | A line's amount is quantity x unitPrice to the cent, where both are given.
FIN-04 | error | invoices, payment-settlements | paid = sum of the settlements that stand; balance = total - credited - paid.
FIN-05 | error | invoices | Credit notes are negative and add up to the credited amount of the invoice they reduce, in the same currency and from the same partner.
FIN-06 | error | payments, payment-settlements | The settlements of a payment that stand are no more than its amount.
FIN-07 | warning | payments, payment-settlements | A completed payment is settled in full (money sent that pays nothing).
FIN-08 | error | payment-settlements | A settlement pays the partner that issued the invoice, in the order of the milestone's agreement.
FIN-09 | error | payment-agreements, payment-milestones | The milestones of an agreement are numbered 1, 2, 3 ... and add up to its total; an amount given in percent is that percent of the total.
FIN-10 | warning | payment-agreements, orders | An agreement's total is the total of its order.
FIN-11 | error | payment-milestones, payment-settlements | What was settled and waived of a milestone is no more than its amount, and equals it once it is paid.
FIN-12 | error | invoices | A paid invoice has no balance; a partly paid one has both a payment and a balance.
FIN-13 | error | invoice-lines, shipment-items | No more of a shipment item is invoiced than was shipped.
FIN-14 | warning | invoice-lines, order-items | Goods are invoiced at the ordered price.
FIN-15 | error | invoice-lines | Deposits deducted on the invoices of an order are no more than the deposits invoiced for it.
FIN-16 | error | shipment-charges, invoice-lines | An invoiced charge is invoiced at its amount, an estimated one not at all; baseAmount = amount x exchangeRate.
FIN-17 | error | invoices, payments, payment-agreements | Where supplier and partner are both named, the supplier is the account of that partner.
FIN-18 | warning | payment-receipts, payments | What arrived plus the fee taken on the way is what was sent, in the same currency.
FIN-19 | warning | invoices, goods-receipt-lines | Three-way match: what an order was invoiced for, net of credit notes, is what was received of it at the ordered price.
DOC-01 | error | notes, images | A note is on exactly one record; a picture shows at least one, unless it is a logo.
DOC-02 | error | documents | A document that replaces another has the next version number, and the other one is superseded.
DOC-03 | warning | images, option-values | An option value with a swatch version has a swatch picture of that version.
DOC-04 | warning | documents | A certificate in use has not expired.
`

/** A row for each rule: its id, severity, collections and sentence. */
export const invariants: readonly (readonly string[])[] = page
  .trim()
  .split('\n')
  .map((row) => row.split(' | '))
