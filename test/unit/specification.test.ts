/**
 * The specification's own words, written out as data from its text and not from the catalog:
 * whatever the catalog says, these must hold.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, type Field, type Kind, operationsOf, resourceAt } from '#contract'

const groups = `
Brand
Parent Products, Product Options, SKUs, Product Versions
Boms, Bom Components, Bom Skus, Bom Sections
Measurement Tables, Measurement Table Skus
Product Relations, Product Option Values, Product Option Dimension Values, Product Option Prices, Product Option Collections
Sku Dimension Values, Product Collections, Product Tags, Product Launch Windows
Suppliers, Quotes, Quote Revisions, Quote Items, Quote Price Bands, Quote Notes
Samples, Sample Rounds, Sample Checklist Results
Orders, Order Items, Order Amendments
Production Runs, Production Run Items, Production Run Item Revisions
Shipments, Shipment Items, Shipment Cartons, Shipment Carton Items, Shipment Charges, Order Shipments
Legs, Leg Items, Bookings, Booking Items, Shipment Bookings, Shipment Item Lineages
Packing Lists, Packing List Lines, Goods Receipts, Goods Receipt Lines, Inventory
Invoices, Invoice Lines, Payment Agreements, Payment Milestones, Payments, Payment Settlements, Payment Receipts
Partners, Contacts, Locations, Brand Locations, Partner Locations
Documents, Document Types, Images, Notes
Materials, Material Variants, Categories, Collections, Launch Windows, Tags, Colors
Options, Option Values, Dimensions, Dimension Values, Dimension Groups, Dimension Group Dimensions
Dimension Curves, Dimension Curve Axes, Dimension Curve Axis Values, Dimension Curve Cells
Checklists, Packing Templates, Carton Sizes, Couriers, Payment Terms, Units Of Measure, Countries, Custom Field Definitions
`
  .trim()
  .split(/[,\n]\s*/)

/** The words of the specification's type column, and the kinds that are that type. */
const kindsOf = {
  string: ['text', 'id', 'ref', 'person', 'date', 'timestamp', 'amount'],
  id: ['id', 'ref', 'person'],
  timestamp: ['timestamp'],
  amount: ['amount'],
  integer: ['integer'],
  boolean: ['flag'],
  any: ['any'],
  strings: ['texts'],
  object: ['object'],
} as const satisfies Record<string, readonly Kind[]>

type SpecifiedType = keyof typeof kindsOf
/** `fields` in the order of the table, row by row. */
type Rows = readonly (readonly [type: SpecifiedType, fields: string])[]

const partnerRelationship: Rows = [
  ['string', 'id status'],
  ['any', 'brandNotes'],
  ['string', 'defaultIncotermCode defaultCurrencyCode defaultPaymentTermId'],
  ['string', 'qualityRating ontimeRating responsivenessRating sustainabilityScore'],
  ['string', 'brandOwnerUserId'],
  ['any', 'customFields'],
]

const tables: { readonly [path: string]: Rows } = {
  'units-of-measure': [
    ['id', 'id'],
    ['string', 'code name type'],
    ['timestamp', 'createdAt updatedAt'],
  ],
  partners: [
    ['string', 'id slug name shortName'],
    ['string', 'countryCode defaultCurrencyCode'],
    ['integer', 'leadTimeDays moq moqByColor'],
    ['timestamp', 'moqLastConfirmedAt'],
    ['string', 'midCode website businessRegistrationNumber taxId'],
    ['amount', 'minimumOrderValue'],
    ['strings', 'certifications specializations'],
    ['integer', 'productionCapacity'],
    ['string', 'productionCapacityUnit'],
    ['string', 'factoryAuditDate'],
    ['string', 'factoryAuditStatus partnerStatus'],
    ['string', 'lastContactDate nextContactDate'],
    ['any', 'notes'],
    ['string', 'equipmentTechnology packagingCapabilities'],
    ['boolean', 'verified'],
    ['timestamp', 'createdAt updatedAt'],
    ['object', 'relationship'],
  ],
  'packing-lists': [
    ['id', 'id documentId orderId shipmentId supplierId'],
    ['string', 'grain reference'],
    ['string', 'packingListDate'],
    ['integer', 'statedTotalCartons'],
    ['amount', 'statedTotalQtyPacked statedNetWeightKg statedGrossWeightKg statedVolumeCbm'],
    ['string', 'statedWeightUnit statedVolumeUnit'],
    ['integer', 'statedPalletCount'],
    ['amount', 'statedPalletizedVolumeCbm'],
    ['string', 'enteredBy'],
    ['timestamp', 'createdAt updatedAt deletedAt'],
  ],
  'product-option-prices': [
    ['id', 'productOptionId'],
    ['string', 'kind currency'],
    ['amount', 'amount'],
  ],
  tags: [
    ['string', 'id name code uiColor'],
    ['timestamp', 'createdAt updatedAt'],
  ],
  'production-runs': [
    ['id', 'id orderId originId'],
    ['integer', 'runNumber'],
    ['string', 'actualExFactoryDate'],
    ['timestamp', 'retractedAt'],
    ['id', 'retractedByUserId'],
    ['string', 'retractionReason'],
    ['timestamp', 'createdAt updatedAt'],
  ],
  'production-run-items': [
    ['id', 'id productionRunId orderItemId'],
    ['integer', 'quantity'],
    ['string', 'source'],
    ['timestamp', 'createdAt updatedAt'],
  ],
  'product-launch-windows': [
    ['id', 'productId launchWindowId'],
    ['timestamp', 'createdAt'],
  ],
  'dimension-curve-axes': [
    ['id', 'id curveId dimensionId'],
    ['integer', 'sequence'],
  ],
  'order-items': [
    ['id', 'id orderId skuId productVersionId'],
    ['integer', 'qty'],
    ['timestamp', 'supplierConfirmedAt'],
    ['amount', 'unitPrice unitPriceBase duty'],
    ['string', 'htsCode itemType itemDescription memo step category'],
    ['timestamp', 'createdAt updatedAt'],
  ],
  'order-amendments': [
    ['id', 'id orderId revisionId appliedByUserId'],
    ['string', 'status'],
    ['integer', 'revisionNumber'],
    ['any', 'data'],
    ['timestamp', 'baselineUpdatedAt appliedAt deletedAt createdAt updatedAt'],
    ['string', 'overrideReason rejectionNote'],
  ],
  'option-values': [
    ['id', 'id optionId'],
    ['string', 'name code status hexCode'],
    ['integer', 'sequence swatchVersion'],
    ['timestamp', 'createdAt updatedAt'],
  ],
  'bom-sections': [
    ['string', 'id code name'],
    ['integer', 'sequence'],
    ['any', 'relevantFieldKeys'],
    ['timestamp', 'deletedAt createdAt updatedAt'],
  ],
  countries: [['string', 'code name']],
}

const listed = {
  'units-of-measure': { string: 3 },
  'packing-lists': { string: 3, identifier: 4 },
  'product-option-prices': { string: 2, identifier: 2 },
  tags: { string: 2, identifier: 1 },
  'production-runs': { integer: 1, identifier: 3 },
  'production-run-items': { identifier: 2 },
  'product-launch-windows': { identifier: 2 },
  'dimension-curve-axes': { identifier: 2 },
} as const

const assertRows = (rows: Rows, fields: { readonly [name: string]: Field }) => {
  const expected = rows.flatMap(([type, names]) => names.split(' ').map((name) => ({ name, type })))
  assert.deepEqual(
    Object.keys(fields),
    expected.map(({ name }) => name),
  )
  for (const { name, type } of expected) {
    const kind = fields[name]?.kind as Kind
    assert.ok((kindsOf[type] as readonly Kind[]).includes(kind), `${name}: ${kind} is no ${type}`)
  }
}

describe('the specification', () => {
  it('has 93 groups, and the catalog begins with them, in its order', () => {
    assert.equal(groups.length, 93)
    const specified = catalog.resources.slice(0, groups.length)
    assert.deepEqual(
      specified.map(({ group }) => group),
      groups,
    )
    assert.deepEqual(
      specified.map(({ path }) => path),
      groups.map((group) => group.toLowerCase().replaceAll(' ', '-')),
    )
  })

  it('gives 14 record shapes, and they are marked as specified, alone', () => {
    const specified = catalog.resources.filter(({ origin }) => origin === 'specified')
    assert.deepEqual(specified.map(({ path }) => path).sort(), Object.keys(tables).sort())
    assert.equal(specified.length, 14)
  })

  for (const [path, rows] of Object.entries(tables)) {
    it(`gives the fields of ${path}, in order, with their types`, () => {
      assertRows(rows, resourceAt(catalog, path).fields)
    })
  }

  it("gives the fields of a partner's relationship", () => {
    const { relationship } = resourceAt(catalog, 'partners').fields
    assertRows(partnerRelationship, relationship?.fields ?? {})
  })

  it('gives the fields of the image content link', () => {
    const { content } = resourceAt(catalog, 'images')
    assertRows(
      [
        ['string', 'url'],
        ['timestamp', 'expiresAt'],
        ['any', 'extent'],
      ],
      content?.fields ?? {},
    )
  })

  it('requires every field of a unit of measure', () => {
    const { fields } = resourceAt(catalog, 'units-of-measure')
    assert.ok(Object.values(fields).every(({ nullable }) => !nullable))
  })

  for (const [path, counts] of Object.entries(listed)) {
    it(`counts the filters of ${path} by kind`, () => {
      const kinds = resourceAt(catalog, path).filters.map(({ kind }) => kind)
      const counted = Object.fromEntries(
        [...new Set(kinds)].map((kind) => [kind, kinds.filter((each) => each === kind).length]),
      )
      assert.deepEqual(counted, counts)
    })
  }

  it('names the filters of units of measure: code, name, type', () => {
    const { filters } = resourceAt(catalog, 'units-of-measure')
    assert.deepEqual(
      filters.map(({ name }) => name),
      ['code', 'name', 'type'],
    )
  })

  it('gives partners several string filters and no others', () => {
    const { filters } = resourceAt(catalog, 'partners')
    assert.ok(filters.length > 1 && filters.every(({ kind }) => kind === 'string'))
  })

  it('has an integer filter on production runs only', () => {
    const withInteger = catalog.resources.filter(({ filters }) =>
      filters.some(({ kind }) => kind === 'integer'),
    )
    assert.deepEqual(
      withInteger.map(({ path }) => path),
      ['production-runs'],
    )
  })

  it('shows 15 endpoints, and they are marked as specified, alone', () => {
    const specified = operationsOf(catalog).filter(({ origin }) => origin === 'specified')
    assert.deepEqual(specified.map(({ path }) => path).sort(), [
      '/brands/{brand}/bom-sections/{id}',
      '/brands/{brand}/countries/{id}',
      '/brands/{brand}/dimension-curve-axes',
      '/brands/{brand}/images/{id}/content',
      '/brands/{brand}/option-values/{id}',
      '/brands/{brand}/order-amendments/{id}',
      '/brands/{brand}/order-items/{id}',
      '/brands/{brand}/packing-lists',
      '/brands/{brand}/partners',
      '/brands/{brand}/product-launch-windows',
      '/brands/{brand}/product-option-prices',
      '/brands/{brand}/production-run-items',
      '/brands/{brand}/production-runs',
      '/brands/{brand}/tags',
      '/brands/{brand}/units-of-measure',
    ])
  })
})
