// Made from the contract by tools/generate.ts. Do not edit: run npm run generate.

import type { JsonValue } from '../error.ts'

/** Every error code of the contract. */
export type ServerErrorCode =
  | 'invalid_parameter'
  | 'unsupported_include'
  | 'invalid_cursor'
  | 'cursor_mismatch'
  | 'page_too_large'
  | 'malformed_request'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'expired_api_key'
  | 'out_of_scope'
  | 'invalid_link'
  | 'forbidden_origin'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'body_too_large'
  | 'range_not_satisfiable'
  | 'expectation_failed'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'store_unavailable'
  | 'storage_unavailable'
  | 'not_ready'

/** The brand whose records are being read; one record, addressed by its slug. */
export interface Brand {
  /** Identity of the record. */
  readonly id: string
  /** The {brand} segment of every path. */
  readonly slug: string
  /** Name shown to people. */
  readonly name: string
  /** Legal name. */
  readonly legalName: string | null
  /** ISO 3166-1 alpha-2, a code of countries. Code: ISO 3166-1 alpha-2. */
  readonly countryCode: string
  /** ISO 4217. Currency of every amount whose name ends in Base and of every baseAmount. Code: ISO 4217. */
  readonly baseCurrencyCode: string
  /** IANA zone name, used to read the date-only fields. */
  readonly timezone: string
  /** Website. */
  readonly website: string | null
  /** Default incoterm code. Code: Incoterms 2020 code. */
  readonly defaultIncotermCode: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** A style: the product as designed, before colourways and sizes. */
export interface ParentProduct {
  /** Identity of the record. */
  readonly id: string
  /** Style number. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Description. */
  readonly description: string | null
  /** Where the record stands. Known values: concept, development, adopted, active, discontinued, dropped. */
  readonly status: string
  /** The category. Refers to categories. */
  readonly categoryId: string | null
  /** The size system its SKUs use. Refers to dimension-groups. */
  readonly dimensionGroupId: string | null
  /** Main supplier; the suppliers actually used are those of its orders. Refers to suppliers. */
  readonly supplierId: string | null
  /** Owner: a person. No resource is served for people. */
  readonly ownerUserId: string | null
  /** Department. Known values: womens, mens, unisex, kids, home, accessories. */
  readonly department: string | null
  /** Country of origin code. Code: ISO 3166-1 alpha-2. */
  readonly countryOfOriginCode: string | null
  /** Harmonised tariff code, digits only, 6 to 10 of them. Code: tariff code, 6 to 10 digits. */
  readonly htsCode: string | null
  /** Care instructions. */
  readonly careInstructions: string | null
  /** Object keyed by custom-field-definitions.key of entity parent-products. */
  readonly customFields: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Parent Products can be narrowed by. Filters combine. */
export interface ParentProductFilters {
  /** Records whose `categoryId` is exactly this. */
  readonly categoryId?: string | undefined
  /** Records whose `dimensionGroupId` is exactly this. */
  readonly dimensionGroupId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `id` is `productId` in a row of product-tags with this `tagId`. */
  readonly tagId?: string | undefined
  /** Records whose `id` is `productId` in a row of product-collections with this `collectionId`. */
  readonly collectionId?: string | undefined
  /** Records whose `id` is `productId` in a row of product-launch-windows with this `launchWindowId`. */
  readonly launchWindowId?: string | undefined
  /** Records whose `id` is `productId` in a row of product-relations with this `relatedProductId`. */
  readonly relatedProductId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `department` is exactly this. */
  readonly department?: string | undefined
}

/** What `include` can add to a record of Parent Products, by name. */
export interface ParentProductRelations {
  readonly category: Category
  readonly dimensionGroup: DimensionGroup
  readonly supplier: Supplier
}

/** One variation of a style that is bought as such, typically a colourway: a combination of option values. */
export interface ProductOption {
  /** Identity of the record. */
  readonly id: string
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** Style-colour number. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Where the record stands. Known values: development, adopted, active, discontinued, dropped. */
  readonly status: string
  /** Leading colour, for merchandising. Refers to colors. */
  readonly colorId: string | null
  /** The packing template. Refers to packing-templates. */
  readonly packingTemplateId: string | null
  /** How a buy is spread over sizes. Refers to dimension-curves. */
  readonly dimensionCurveId: string | null
  /** Planned units. */
  readonly plannedUnits: number | null
  /** Place in the order shown to people. */
  readonly sequence: number
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Product Options can be narrowed by. Filters combine. */
export interface ProductOptionFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `colorId` is exactly this. */
  readonly colorId?: string | undefined
  /** Records whose `packingTemplateId` is exactly this. */
  readonly packingTemplateId?: string | undefined
  /** Records whose `dimensionCurveId` is exactly this. */
  readonly dimensionCurveId?: string | undefined
  /** Records whose `id` is `productOptionId` in a row of product-option-values with this `optionValueId`. */
  readonly optionValueId?: string | undefined
  /** Records whose `id` is `productOptionId` in a row of product-option-collections with this `collectionId`. */
  readonly collectionId?: string | undefined
  /** Records whose `id` is `productOptionId` in a row of product-option-dimension-values with this `dimensionValueId`. */
  readonly dimensionValueId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Product Options, by name. */
export interface ProductOptionRelations {
  readonly product: ParentProduct
  readonly color: Color
  readonly packingTemplate: PackingTemplate
  readonly dimensionCurve: DimensionCurve
}

/** A stock-keeping unit: one product option in one combination of dimension values. */
export interface Sku {
  /** Identity of the record. */
  readonly id: string
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The product option. Refers to product-options. */
  readonly productOptionId: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string | null
  /** GTIN-8, -12, -13 or -14 with check digit. Code: GTIN with check digit. */
  readonly gtin: string | null
  /** Where the record stands. Known values: planned, active, discontinued, blocked. */
  readonly status: string
  /** The unit of measure. Refers to units-of-measure. */
  readonly unitOfMeasureId: string | null
  /** Net weight kg. Decimal string: kilograms. */
  readonly netWeightKg: string | null
  /** Length cm. Decimal string: centimetres. */
  readonly lengthCm: string | null
  /** Width cm. Decimal string: centimetres. */
  readonly widthCm: string | null
  /** Height cm. Decimal string: centimetres. */
  readonly heightCm: string | null
  /** Country of origin code. Code: ISO 3166-1 alpha-2. */
  readonly countryOfOriginCode: string | null
  /** Hts code. Code: tariff code, 6 to 10 digits. */
  readonly htsCode: string | null
  /** Object keyed by custom-field-definitions.key of entity skus. */
  readonly customFields: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of SKUs can be narrowed by. Filters combine. */
export interface SkuFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `id` is `skuId` in a row of sku-dimension-values with this `dimensionValueId`. */
  readonly dimensionValueId?: string | undefined
  /** Records whose `id` is `skuId` in a row of bom-skus with this `bomId`. */
  readonly bomId?: string | undefined
  /** Records whose `id` is `skuId` in a row of measurement-table-skus with this `measurementTableId`. */
  readonly measurementTableId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `gtin` is exactly this. */
  readonly gtin?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of SKUs, by name. */
export interface SkuRelations {
  readonly product: ParentProduct
  readonly productOption: ProductOption
  readonly unitOfMeasure: UnitOfMeasure
}

/** A numbered state of a product's specification (bill of materials, measurements, tech pack) that orders refer to. */
export interface ProductVersion {
  /** Identity of the record. */
  readonly id: string
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** Version number. */
  readonly versionNumber: number
  /** Label. */
  readonly label: string | null
  /** Where the record stands. Known values: draft, in_review, approved, superseded. */
  readonly status: string
  /** Change summary. */
  readonly changeSummary: string | null
  /** Approved at. UTC, to the millisecond. */
  readonly approvedAt: string | null
  /** Approved by: a person. No resource is served for people. */
  readonly approvedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Product Versions can be narrowed by. Filters combine. */
export interface ProductVersionFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `label` is exactly this. */
  readonly label?: string | undefined
}

/** What `include` can add to a record of Product Versions, by name. */
export interface ProductVersionRelations {
  readonly product: ParentProduct
}

/** A bill of materials of a product version. */
export interface Bom {
  /** Identity of the record. */
  readonly id: string
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The product version. Refers to product-versions. */
  readonly productVersionId: string
  /** Short code of the record. */
  readonly code: string | null
  /** Name shown to people. */
  readonly name: string
  /** Revision number. */
  readonly revisionNumber: number
  /** Where the record stands. Known values: draft, in_review, approved, superseded. */
  readonly status: string
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string | null
  /** Sum of the components' extendedCost. Decimal string: money. Currency: currency. */
  readonly totalCost: string | null
  /** Free remarks. */
  readonly notes: JsonValue
  /** Approved at. UTC, to the millisecond. */
  readonly approvedAt: string | null
  /** Approved by: a person. No resource is served for people. */
  readonly approvedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Boms can be narrowed by. Filters combine. */
export interface BomFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productVersionId` is exactly this. */
  readonly productVersionId?: string | undefined
  /** Records whose `id` is `bomId` in a row of bom-skus with this `skuId`. */
  readonly skuId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Boms, by name. */
export interface BomRelations {
  readonly product: ParentProduct
  readonly productVersion: ProductVersion
}

/** One line of a bill of materials: a material, where it goes and how much of it one unit takes. */
export interface BomComponent {
  /** Identity of the record. */
  readonly id: string
  /** The bom. Refers to boms. */
  readonly bomId: string
  /** The bom section. Refers to bom-sections. */
  readonly bomSectionId: string | null
  /** The material. Refers to materials. */
  readonly materialId: string | null
  /** The material variant. Refers to material-variants. */
  readonly materialVariantId: string | null
  /** Nominated source of the component. Refers to suppliers. */
  readonly supplierId: string | null
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Where on the product it is used. */
  readonly placement: string | null
  /** Description. */
  readonly description: string | null
  /** Who buys it. Known values: supplier, brand. */
  readonly sourcedBy: string | null
  /** Consumption per unit, in unitOfMeasureId. Decimal string: quantity. */
  readonly quantity: string
  /** The unit of measure. Refers to units-of-measure. */
  readonly unitOfMeasureId: string
  /** Wastage percent. Decimal string: percent. */
  readonly wastagePercent: string | null
  /** Unit price. Decimal string: price of one unit. Currency: bomId.currency. */
  readonly unitPrice: string | null
  /** quantity x (1 + wastagePercent / 100) x unitPrice. Decimal string: money. Currency: bomId.currency. */
  readonly extendedCost: string | null
  /** Comment. */
  readonly comment: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Bom Components can be narrowed by. Filters combine. */
export interface BomComponentFilters {
  /** Records whose `bomId` is exactly this. */
  readonly bomId?: string | undefined
  /** Records whose `bomSectionId` is exactly this. */
  readonly bomSectionId?: string | undefined
  /** Records whose `materialId` is exactly this. */
  readonly materialId?: string | undefined
  /** Records whose `materialVariantId` is exactly this. */
  readonly materialVariantId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `placement` is exactly this. */
  readonly placement?: string | undefined
  /** Records whose `sourcedBy` is exactly this. */
  readonly sourcedBy?: string | undefined
}

/** What `include` can add to a record of Bom Components, by name. */
export interface BomComponentRelations {
  readonly bom: Bom
  readonly bomSection: BomSection
  readonly material: Material
  readonly materialVariant: MaterialVariant
  readonly supplier: Supplier
  readonly unitOfMeasure: UnitOfMeasure
}

/** Says that a bill of materials applies to a SKU. */
export interface BomSku {
  /** The bom. Refers to boms. */
  readonly bomId: string
  /** The sku. Refers to skus. */
  readonly skuId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Bom Skus can be narrowed by. Filters combine. */
export interface BomSkuFilters {
  /** Records whose `bomId` is exactly this. */
  readonly bomId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
}

/** What `include` can add to a record of Bom Skus, by name. */
export interface BomSkuRelations {
  readonly bom: Bom
  readonly sku: Sku
}

/** A heading that bill-of-materials lines are grouped under, such as fabric, trims or packaging. */
export interface BomSection {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Array of bom-components field names that matter in the section. */
  readonly relevantFieldKeys: JsonValue
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Bom Sections can be narrowed by. Filters combine. */
export interface BomSectionFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
}

/** What `include` can add to a record of Bom Sections, by name. */
export interface BomSectionRelations {
}

/** The points of measure of a product version with their base values, grade steps and tolerances. */
export interface MeasurementTable {
  /** Identity of the record. */
  readonly id: string
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The product version. Refers to product-versions. */
  readonly productVersionId: string
  /** Short code of the record. */
  readonly code: string | null
  /** Name shown to people. */
  readonly name: string
  /** Where the record stands. Known values: draft, in_review, approved, superseded. */
  readonly status: string
  /** Unit of every value in the table. Refers to units-of-measure. */
  readonly unitOfMeasureId: string
  /** The base size the grade steps start from. Refers to dimension-values. */
  readonly baseDimensionValueId: string | null
  /** Points of measure, in reading order. */
  readonly points: readonly ({
    /** Stable key, used by graded and measured values. */
    readonly key: string
    /** Letter or number on the sketch. */
    readonly code: string | null
    /** Name shown to people. */
    readonly name: string
    /** How to measure it. */
    readonly method: string | null
    /** Place in the order shown to people. */
    readonly sequence: number
    /** Base value. Decimal string: in the table's unit. */
    readonly baseValue: string
    /** Change from one size to the next; null when graded unevenly. Decimal string: in the table's unit. */
    readonly gradeStep: string | null
    /** Tolerance plus. Decimal string: in the table's unit. */
    readonly tolerancePlus: string
    /** A positive figure: the amount the piece may fall short. Decimal string: in the table's unit. */
    readonly toleranceMinus: string
    /** Critical. */
    readonly critical: boolean
  })[]
  /** Free remarks. */
  readonly notes: JsonValue
  /** Approved at. UTC, to the millisecond. */
  readonly approvedAt: string | null
  /** Approved by: a person. No resource is served for people. */
  readonly approvedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Measurement Tables can be narrowed by. Filters combine. */
export interface MeasurementTableFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productVersionId` is exactly this. */
  readonly productVersionId?: string | undefined
  /** Records whose `baseDimensionValueId` is exactly this. */
  readonly baseDimensionValueId?: string | undefined
  /** Records whose `id` is `measurementTableId` in a row of measurement-table-skus with this `skuId`. */
  readonly skuId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Measurement Tables, by name. */
export interface MeasurementTableRelations {
  readonly product: ParentProduct
  readonly productVersion: ProductVersion
  readonly unitOfMeasure: UnitOfMeasure
  readonly baseDimensionValue: DimensionValue
}

/** The graded values of a measurement table for one SKU. */
export interface MeasurementTableSku {
  /** The measurement table. Refers to measurement-tables. */
  readonly measurementTableId: string
  /** The sku. Refers to skus. */
  readonly skuId: string
  /** Measurements. */
  readonly measurements: readonly ({
    /** A points[].key of the table. */
    readonly pointKey: string
    /** Value. Decimal string: in the table's unit. */
    readonly value: string
  })[]
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Measurement Table Skus can be narrowed by. Filters combine. */
export interface MeasurementTableSkuFilters {
  /** Records whose `measurementTableId` is exactly this. */
  readonly measurementTableId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
}

/** What `include` can add to a record of Measurement Table Skus, by name. */
export interface MeasurementTableSkuRelations {
  readonly measurementTable: MeasurementTable
  readonly sku: Sku
}

/** A directed link between two styles, such as a carry-over or a part of a set. */
export interface ProductRelation {
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The related product. Refers to parent-products. */
  readonly relatedProductId: string
  /** What kind of record it is. Known values: carry_over_of, derived_from, set_component, companion, replaced_by. */
  readonly kind: string
  /** Pieces of the related product, in a set. */
  readonly quantity: number | null
  /** Place in the order shown to people. */
  readonly sequence: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Relations can be narrowed by. Filters combine. */
export interface ProductRelationFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `relatedProductId` is exactly this. */
  readonly relatedProductId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
}

/** What `include` can add to a record of Product Relations, by name. */
export interface ProductRelationRelations {
  readonly product: ParentProduct
  readonly relatedProduct: ParentProduct
}

/** One option value that makes up a product option. */
export interface ProductOptionValue {
  /** The product option. Refers to product-options. */
  readonly productOptionId: string
  /** The option value. Refers to option-values. */
  readonly optionValueId: string
  /** Place in the order shown to people. */
  readonly sequence: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Option Values can be narrowed by. Filters combine. */
export interface ProductOptionValueFilters {
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `optionValueId` is exactly this. */
  readonly optionValueId?: string | undefined
}

/** What `include` can add to a record of Product Option Values, by name. */
export interface ProductOptionValueRelations {
  readonly productOption: ProductOption
  readonly optionValue: OptionValue
}

/** A dimension value (a size) that a product option is offered in. */
export interface ProductOptionDimensionValue {
  /** The product option. Refers to product-options. */
  readonly productOptionId: string
  /** The dimension value. Refers to dimension-values. */
  readonly dimensionValueId: string
  /** Place in the order shown to people. */
  readonly sequence: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Option Dimension Values can be narrowed by. Filters combine. */
export interface ProductOptionDimensionValueFilters {
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `dimensionValueId` is exactly this. */
  readonly dimensionValueId?: string | undefined
}

/** What `include` can add to a record of Product Option Dimension Values, by name. */
export interface ProductOptionDimensionValueRelations {
  readonly productOption: ProductOption
  readonly dimensionValue: DimensionValue
}

/** A price of a product option, one per kind and currency. */
export interface ProductOptionPrice {
  /** The product option. Refers to product-options. */
  readonly productOptionId: string
  /** Open list: the contract gives no values. Known values: target_cost, landed_cost, wholesale, retail, sale. */
  readonly kind: string
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Amount. Decimal string: money. Currency: currency. */
  readonly amount: string
}

/** What lists of Product Option Prices can be narrowed by. Filters combine. */
export interface ProductOptionPriceFilters {
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `productOptionId` is `id` in a row of product-options with this `productId`. */
  readonly productId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
}

/** What `include` can add to a record of Product Option Prices, by name. */
export interface ProductOptionPriceRelations {
  readonly productOption: ProductOption
}

/** Says that a product option belongs to a collection. */
export interface ProductOptionCollection {
  /** The product option. Refers to product-options. */
  readonly productOptionId: string
  /** The collection. Refers to collections. */
  readonly collectionId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Option Collections can be narrowed by. Filters combine. */
export interface ProductOptionCollectionFilters {
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `collectionId` is exactly this. */
  readonly collectionId?: string | undefined
}

/** What `include` can add to a record of Product Option Collections, by name. */
export interface ProductOptionCollectionRelations {
  readonly productOption: ProductOption
  readonly collection: Collection
}

/** One dimension value of a SKU; a SKU has one for each dimension of its product's dimension group. */
export interface SkuDimensionValue {
  /** The sku. Refers to skus. */
  readonly skuId: string
  /** The dimension value. Refers to dimension-values. */
  readonly dimensionValueId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Sku Dimension Values can be narrowed by. Filters combine. */
export interface SkuDimensionValueFilters {
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `dimensionValueId` is exactly this. */
  readonly dimensionValueId?: string | undefined
}

/** What `include` can add to a record of Sku Dimension Values, by name. */
export interface SkuDimensionValueRelations {
  readonly sku: Sku
  readonly dimensionValue: DimensionValue
}

/** Says that a product belongs to a collection. */
export interface ProductCollection {
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The collection. Refers to collections. */
  readonly collectionId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Collections can be narrowed by. Filters combine. */
export interface ProductCollectionFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `collectionId` is exactly this. */
  readonly collectionId?: string | undefined
}

/** What `include` can add to a record of Product Collections, by name. */
export interface ProductCollectionRelations {
  readonly product: ParentProduct
  readonly collection: Collection
}

/** Says that a product carries a tag. */
export interface ProductTag {
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The tag. Refers to tags. */
  readonly tagId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Tags can be narrowed by. Filters combine. */
export interface ProductTagFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `tagId` is exactly this. */
  readonly tagId?: string | undefined
}

/** What `include` can add to a record of Product Tags, by name. */
export interface ProductTagRelations {
  readonly product: ParentProduct
  readonly tag: Tag
}

/** Says that a product is planned for a launch window. */
export interface ProductLaunchWindow {
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The launch window. Refers to launch-windows. */
  readonly launchWindowId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Product Launch Windows can be narrowed by. Filters combine. */
export interface ProductLaunchWindowFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `launchWindowId` is exactly this. */
  readonly launchWindowId?: string | undefined
}

/** What `include` can add to a record of Product Launch Windows, by name. */
export interface ProductLaunchWindowRelations {
  readonly product: ParentProduct
  readonly launchWindow: LaunchWindow
}

/** The brand's vendor account with a partner it buys from. */
export interface Supplier {
  /** Identity of the record. */
  readonly id: string
  /** The partner. Refers to partners. */
  readonly partnerId: string
  /** Vendor number. */
  readonly code: string
  /** Name the brand uses on orders. */
  readonly name: string
  /** What kind of record it is. Known values: finished_goods, fabric, trims, packaging, services, agent. */
  readonly kind: string
  /** Where the record stands. Known values: prospect, onboarding, approved, inactive, on_hold. */
  readonly status: string
  /** Site orders are made at unless a production run says otherwise. Refers to locations. */
  readonly defaultLocationId: string | null
  /** The default contact. Refers to contacts. */
  readonly defaultContactId: string | null
  /** The default payment term. Refers to payment-terms. */
  readonly defaultPaymentTermId: string | null
  /** Default currency code. Code: ISO 4217. */
  readonly defaultCurrencyCode: string | null
  /** Default incoterm code. Code: Incoterms 2020 code. */
  readonly defaultIncotermCode: string | null
  /** Incoterm place. */
  readonly incotermPlace: string | null
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** Minimum order quantity. */
  readonly moq: number | null
  /** Approved at. UTC, to the millisecond. */
  readonly approvedAt: string | null
  /** Object keyed by custom-field-definitions.key of entity suppliers. */
  readonly customFields: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Suppliers can be narrowed by. Filters combine. */
export interface SupplierFilters {
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `defaultLocationId` is exactly this. */
  readonly defaultLocationId?: string | undefined
  /** Records whose `defaultContactId` is exactly this. */
  readonly defaultContactId?: string | undefined
  /** Records whose `defaultPaymentTermId` is exactly this. */
  readonly defaultPaymentTermId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Suppliers, by name. */
export interface SupplierRelations {
  readonly partner: Partner
  readonly defaultLocation: Location
  readonly defaultContact: Contact
  readonly defaultPaymentTerm: PaymentTerm
}

/** A request for a price sent to one supplier, and the negotiation that follows. */
export interface Quote {
  /** Identity of the record. */
  readonly id: string
  /** Quote number. */
  readonly quoteNumber: string
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string
  /** Null for quotes on materials or services. Refers to parent-products. */
  readonly productId: string | null
  /** The specification that was quoted. Refers to product-versions. */
  readonly productVersionId: string | null
  /** Title. */
  readonly title: string | null
  /** Where the record stands. Known values: draft, requested, quoted, negotiating, accepted, declined, expired, cancelled. */
  readonly status: string
  /** Requested quantity. */
  readonly requestedQuantity: number | null
  /** Currency asked for. Code: ISO 4217. */
  readonly currency: string | null
  /** Target unit price. Decimal string: price of one unit. Currency: currency. */
  readonly targetUnitPrice: string | null
  /** Requested at. UTC, to the millisecond. */
  readonly requestedAt: string | null
  /** Response due date. Date, YYYY-MM-DD. */
  readonly responseDueDate: string | null
  /** Requested by: a person. No resource is served for people. */
  readonly requestedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Quotes can be narrowed by. Filters combine. */
export interface QuoteFilters {
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productVersionId` is exactly this. */
  readonly productVersionId?: string | undefined
  /** Records whose `quoteNumber` is exactly this. */
  readonly quoteNumber?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
}

/** What `include` can add to a record of Quotes, by name. */
export interface QuoteRelations {
  readonly supplier: Supplier
  readonly product: ParentProduct
  readonly productVersion: ProductVersion
}

/** One complete offer within a quote; a counter-offer is a new revision. */
export interface QuoteRevision {
  /** Identity of the record. */
  readonly id: string
  /** The quote. Refers to quotes. */
  readonly quoteId: string
  /** Revision number. */
  readonly revisionNumber: number
  /** One accepted revision per quote at a time. Known values: draft, submitted, accepted, superseded, countered, rejected, expired. */
  readonly status: string
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Incoterm code. Code: Incoterms 2020 code. */
  readonly incotermCode: string | null
  /** Incoterm place. */
  readonly incotermPlace: string | null
  /** The payment term. Refers to payment-terms. */
  readonly paymentTermId: string | null
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** Minimum order quantity. */
  readonly moq: number | null
  /** Valid until. Date, YYYY-MM-DD. */
  readonly validUntil: string | null
  /** Submitted at. UTC, to the millisecond. */
  readonly submittedAt: string | null
  /** Decided at. UTC, to the millisecond. */
  readonly decidedAt: string | null
  /** Decided by: a person. No resource is served for people. */
  readonly decidedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Quote Revisions can be narrowed by. Filters combine. */
export interface QuoteRevisionFilters {
  /** Records whose `quoteId` is exactly this. */
  readonly quoteId?: string | undefined
  /** Records whose `paymentTermId` is exactly this. */
  readonly paymentTermId?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
  /** Records whose `incotermCode` is exactly this. */
  readonly incotermCode?: string | undefined
}

/** What `include` can add to a record of Quote Revisions, by name. */
export interface QuoteRevisionRelations {
  readonly quote: Quote
  readonly paymentTerm: PaymentTerm
}

/** One priced line of a quote revision. */
export interface QuoteItem {
  /** Identity of the record. */
  readonly id: string
  /** The quote revision. Refers to quote-revisions. */
  readonly quoteRevisionId: string
  /** The product option. Refers to product-options. */
  readonly productOptionId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** The material variant. Refers to material-variants. */
  readonly materialVariantId: string | null
  /** Item type. Known values: product, sample, material, packaging, tooling, service. */
  readonly itemType: string
  /** Description. */
  readonly description: string
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Quantity the unit price is given for. */
  readonly quantity: number | null
  /** The unit of measure. Refers to units-of-measure. */
  readonly unitOfMeasureId: string | null
  /** Price at quantity; see the bands for other quantities. Decimal string: price of one unit. Currency: quoteRevisionId.currency. */
  readonly unitPrice: string | null
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Quote Items can be narrowed by. Filters combine. */
export interface QuoteItemFilters {
  /** Records whose `quoteRevisionId` is exactly this. */
  readonly quoteRevisionId?: string | undefined
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `materialVariantId` is exactly this. */
  readonly materialVariantId?: string | undefined
  /** Records whose `itemType` is exactly this. */
  readonly itemType?: string | undefined
}

/** What `include` can add to a record of Quote Items, by name. */
export interface QuoteItemRelations {
  readonly quoteRevision: QuoteRevision
  readonly productOption: ProductOption
  readonly sku: Sku
  readonly materialVariant: MaterialVariant
  readonly unitOfMeasure: UnitOfMeasure
}

/** The unit price of a quote item for a range of quantities. */
export interface QuotePriceBand {
  /** Identity of the record. */
  readonly id: string
  /** The quote item. Refers to quote-items. */
  readonly quoteItemId: string
  /** Min quantity. */
  readonly minQuantity: number
  /** Null means no upper limit. */
  readonly maxQuantity: number | null
  /** Unit price. Decimal string: price of one unit. Currency: quoteItemId.quoteRevisionId.currency. */
  readonly unitPrice: string
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Quote Price Bands can be narrowed by. Filters combine. */
export interface QuotePriceBandFilters {
  /** Records whose `quoteItemId` is exactly this. */
  readonly quoteItemId?: string | undefined
}

/** What `include` can add to a record of Quote Price Bands, by name. */
export interface QuotePriceBandRelations {
  readonly quoteItem: QuoteItem
}

/** A message in the negotiation of a quote. */
export interface QuoteNote {
  /** Identity of the record. */
  readonly id: string
  /** The quote. Refers to quotes. */
  readonly quoteId: string
  /** The revision it comments on. Refers to quote-revisions. */
  readonly quoteRevisionId: string | null
  /** Author on the supplier's side. Refers to contacts. */
  readonly contactId: string | null
  /** Author on the brand's side. No resource is served for people. */
  readonly authorUserId: string | null
  /** Visibility. Known values: internal, shared. */
  readonly visibility: string
  /** Text of the message. */
  readonly body: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Quote Notes can be narrowed by. Filters combine. */
export interface QuoteNoteFilters {
  /** Records whose `quoteId` is exactly this. */
  readonly quoteId?: string | undefined
  /** Records whose `quoteRevisionId` is exactly this. */
  readonly quoteRevisionId?: string | undefined
  /** Records whose `contactId` is exactly this. */
  readonly contactId?: string | undefined
  /** Records whose `visibility` is exactly this. */
  readonly visibility?: string | undefined
}

/** What `include` can add to a record of Quote Notes, by name. */
export interface QuoteNoteRelations {
  readonly quote: Quote
  readonly quoteRevision: QuoteRevision
  readonly contact: Contact
}

/** A sample asked of a supplier for one purpose, made in one or more rounds. */
export interface Sample {
  /** Identity of the record. */
  readonly id: string
  /** Sample number. */
  readonly sampleNumber: string
  /** The product. Refers to parent-products. */
  readonly productId: string
  /** The product version. Refers to product-versions. */
  readonly productVersionId: string | null
  /** The product option. Refers to product-options. */
  readonly productOptionId: string | null
  /** Colour and size made. Refers to skus. */
  readonly skuId: string | null
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string
  /** The negotiation it was made for. Refers to quotes. */
  readonly quoteId: string | null
  /** The order it was made for (pre-production, top of production, shipment samples). Refers to orders. */
  readonly orderId: string | null
  /** The checks every round is put through. Refers to checklists. */
  readonly checklistId: string | null
  /** Usual order of development. Known values: proto, fit, size_set, pre_production, top_of_production, sales, photo, lab_test, shipment. */
  readonly kind: string
  /** Where the record stands. Known values: requested, in_progress, in_review, approved, rejected, cancelled. */
  readonly status: string
  /** Quantity. */
  readonly quantity: number
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string | null
  /** Unit price. Decimal string: price of one unit. Currency: currency. */
  readonly unitPrice: string | null
  /** Requested at. UTC, to the millisecond. */
  readonly requestedAt: string | null
  /** Requested by: a person. No resource is served for people. */
  readonly requestedByUserId: string | null
  /** Due date. Date, YYYY-MM-DD. */
  readonly dueDate: string | null
  /** Approved at. UTC, to the millisecond. */
  readonly approvedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Samples can be narrowed by. Filters combine. */
export interface SampleFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productVersionId` is exactly this. */
  readonly productVersionId?: string | undefined
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `quoteId` is exactly this. */
  readonly quoteId?: string | undefined
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `checklistId` is exactly this. */
  readonly checklistId?: string | undefined
  /** Records whose `sampleNumber` is exactly this. */
  readonly sampleNumber?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Samples, by name. */
export interface SampleRelations {
  readonly product: ParentProduct
  readonly productVersion: ProductVersion
  readonly productOption: ProductOption
  readonly sku: Sku
  readonly supplier: Supplier
  readonly quote: Quote
  readonly order: Order
  readonly checklist: Checklist
}

/** One making and review of a sample. */
export interface SampleRound {
  /** Identity of the record. */
  readonly id: string
  /** The sample. Refers to samples. */
  readonly sampleId: string
  /** Round number. */
  readonly roundNumber: number
  /** Where the record stands. Known values: requested, in_making, sent, received, reviewed, cancelled. */
  readonly status: string
  /** Decision. Known values: pending, approved, approved_with_comments, revise, rejected. */
  readonly decision: string
  /** Due date. Date, YYYY-MM-DD. */
  readonly dueDate: string | null
  /** Sent date. Date, YYYY-MM-DD. */
  readonly sentDate: string | null
  /** Received date. Date, YYYY-MM-DD. */
  readonly receivedDate: string | null
  /** The courier. Refers to couriers. */
  readonly courierId: string | null
  /** Tracking number. */
  readonly trackingNumber: string | null
  /** The table the piece was measured against. Refers to measurement-tables. */
  readonly measurementTableId: string | null
  /** Measurements. */
  readonly measurements: readonly ({
    /** A points[].key of the table. */
    readonly pointKey: string
    /** Value. Decimal string: in the table's unit. */
    readonly value: string
  })[] | null
  /** Comments. */
  readonly comments: string | null
  /** Decided at. UTC, to the millisecond. */
  readonly decidedAt: string | null
  /** Decided by: a person. No resource is served for people. */
  readonly decidedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Sample Rounds can be narrowed by. Filters combine. */
export interface SampleRoundFilters {
  /** Records whose `sampleId` is exactly this. */
  readonly sampleId?: string | undefined
  /** Records whose `courierId` is exactly this. */
  readonly courierId?: string | undefined
  /** Records whose `measurementTableId` is exactly this. */
  readonly measurementTableId?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `decision` is exactly this. */
  readonly decision?: string | undefined
  /** Records whose `trackingNumber` is exactly this. */
  readonly trackingNumber?: string | undefined
}

/** What `include` can add to a record of Sample Rounds, by name. */
export interface SampleRoundRelations {
  readonly sample: Sample
  readonly courier: Courier
  readonly measurementTable: MeasurementTable
}

/** The outcome of one checklist item for one sample round. */
export interface SampleChecklistResult {
  /** Identity of the record. */
  readonly id: string
  /** The sample round. Refers to sample-rounds. */
  readonly sampleRoundId: string
  /** The checklist. Refers to checklists. */
  readonly checklistId: string
  /** An items[].key of the checklist. */
  readonly itemKey: string
  /** Result. Known values: pending, pass, fail, not_applicable. */
  readonly result: string
  /** Comment. */
  readonly comment: string | null
  /** The image. Refers to images. */
  readonly imageId: string | null
  /** Recorded by: a person. No resource is served for people. */
  readonly recordedByUserId: string | null
  /** Recorded at. UTC, to the millisecond. */
  readonly recordedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Sample Checklist Results can be narrowed by. Filters combine. */
export interface SampleChecklistResultFilters {
  /** Records whose `sampleRoundId` is exactly this. */
  readonly sampleRoundId?: string | undefined
  /** Records whose `checklistId` is exactly this. */
  readonly checklistId?: string | undefined
  /** Records whose `imageId` is exactly this. */
  readonly imageId?: string | undefined
  /** Records whose `result` is exactly this. */
  readonly result?: string | undefined
  /** Records whose `itemKey` is exactly this. */
  readonly itemKey?: string | undefined
}

/** What `include` can add to a record of Sample Checklist Results, by name. */
export interface SampleChecklistResultRelations {
  readonly sampleRound: SampleRound
  readonly checklist: Checklist
  readonly image: Image
}

/** A purchase order the brand places with a supplier. */
export interface Order {
  /** Identity of the record. */
  readonly id: string
  /** Order number. */
  readonly orderNumber: string
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string
  /** The accepted offer the order was placed on. Refers to quote-revisions. */
  readonly quoteRevisionId: string | null
  /** What kind of record it is. Known values: bulk, reorder, sample, material, service. */
  readonly kind: string
  /** Where the record stands. Known values: draft, sent, confirmed, in_production, partially_shipped, shipped, received, closed, cancelled. */
  readonly status: string
  /** Highest revisionNumber among its applied amendments; 0 before the first. */
  readonly revisionNumber: number
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Base currency per unit of the order's currency, fixed when the order was confirmed. Decimal string: exchange rate. */
  readonly exchangeRate: string | null
  /** Incoterm code. Code: Incoterms 2020 code. */
  readonly incotermCode: string | null
  /** Incoterm place. */
  readonly incotermPlace: string | null
  /** The payment term. Refers to payment-terms. */
  readonly paymentTermId: string | null
  /** The destination location. Refers to locations. */
  readonly destinationLocationId: string | null
  /** Ship mode. Known values: ocean, air, road, rail, courier, multimodal. */
  readonly shipMode: string | null
  /** Order date. Date, YYYY-MM-DD. */
  readonly orderDate: string
  /** Requested ex factory date. Date, YYYY-MM-DD. */
  readonly requestedExFactoryDate: string | null
  /** Confirmed ex factory date. Date, YYYY-MM-DD. */
  readonly confirmedExFactoryDate: string | null
  /** Requested delivery date. Date, YYYY-MM-DD. */
  readonly requestedDeliveryDate: string | null
  /** How much more than ordered may be shipped. Decimal string: percent. */
  readonly overTolerancePercent: string | null
  /** How much less than ordered may be shipped. Decimal string: percent. */
  readonly underTolerancePercent: string | null
  /** Sum of its items' qty. */
  readonly totalQuantity: number
  /** Sum of qty x unitPrice of its items. Decimal string: money. Currency: currency. */
  readonly totalAmount: string
  /** Buyer: a person. No resource is served for people. */
  readonly buyerUserId: string | null
  /** Remark printed on the document. */
  readonly memo: string | null
  /** Supplier confirmed at. UTC, to the millisecond. */
  readonly supplierConfirmedAt: string | null
  /** Closed at. UTC, to the millisecond. */
  readonly closedAt: string | null
  /** Cancelled at. UTC, to the millisecond. */
  readonly cancelledAt: string | null
  /** Object keyed by custom-field-definitions.key of entity orders. */
  readonly customFields: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Orders can be narrowed by. Filters combine. */
export interface OrderFilters {
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `quoteRevisionId` is exactly this. */
  readonly quoteRevisionId?: string | undefined
  /** Records whose `paymentTermId` is exactly this. */
  readonly paymentTermId?: string | undefined
  /** Records whose `destinationLocationId` is exactly this. */
  readonly destinationLocationId?: string | undefined
  /** Records whose `id` is `orderId` in a row of order-shipments with this `shipmentId`. */
  readonly shipmentId?: string | undefined
  /** Records whose `orderNumber` is exactly this. */
  readonly orderNumber?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
  /** Records whose `incotermCode` is exactly this. */
  readonly incotermCode?: string | undefined
}

/** What `include` can add to a record of Orders, by name. */
export interface OrderRelations {
  readonly supplier: Supplier
  readonly quoteRevision: QuoteRevision
  readonly paymentTerm: PaymentTerm
  readonly destinationLocation: Location
}

/** One line of an order. */
export interface OrderItem {
  /** Identity of the record. */
  readonly id: string
  /** The order. Refers to orders. */
  readonly orderId: string
  /** Null for lines that are not goods, such as tooling. Refers to skus. */
  readonly skuId: string | null
  /** The specification the goods are made to. Refers to product-versions. */
  readonly productVersionId: string | null
  /** Quantity ordered. */
  readonly qty: number
  /** Supplier confirmed at. UTC, to the millisecond. */
  readonly supplierConfirmedAt: string | null
  /** Unit price. Decimal string: price of one unit. Currency: orderId.currency. */
  readonly unitPrice: string | null
  /** unitPrice x the order's exchangeRate, in the brand's base currency. Decimal string: price of one unit. Currency: brand.baseCurrencyCode. */
  readonly unitPriceBase: string | null
  /** Import duty expected on the whole line, in the brand's base currency. Decimal string: money. Currency: brand.baseCurrencyCode. */
  readonly duty: string | null
  /** Hts code. Code: tariff code, 6 to 10 digits. */
  readonly htsCode: string | null
  /** Open list: the contract gives no values. Known values: product, sample, material, packaging, tooling, service. */
  readonly itemType: string | null
  /** Item description. */
  readonly itemDescription: string | null
  /** Remark printed on the document. */
  readonly memo: string | null
  /** Open list. Stage of work the line pays for. Known values: development, sampling, pre_production, production, packing. */
  readonly step: string | null
  /** Category wording printed on the order; a snapshot, not a reference. */
  readonly category: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Order Items can be narrowed by. Filters combine. */
export interface OrderItemFilters {
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `productVersionId` is exactly this. */
  readonly productVersionId?: string | undefined
  /** Records whose `htsCode` is exactly this. */
  readonly htsCode?: string | undefined
  /** Records whose `itemType` is exactly this. */
  readonly itemType?: string | undefined
  /** Records whose `step` is exactly this. */
  readonly step?: string | undefined
  /** Records whose `category` is exactly this. */
  readonly category?: string | undefined
}

/** What `include` can add to a record of Order Items, by name. */
export interface OrderItemRelations {
  readonly order: Order
  readonly sku: Sku
  readonly productVersion: ProductVersion
}

/** A proposed or applied change to an order after it was placed. */
export interface OrderAmendment {
  /** Identity of the record. */
  readonly id: string
  /** The order. Refers to orders. */
  readonly orderId: string
  /** The quote revision whose terms the amendment carries into the order; null when nothing was re-quoted. Refers to quote-revisions. */
  readonly revisionId: string | null
  /** Applied by: a person. No resource is served for people. */
  readonly appliedByUserId: string | null
  /** Open list: the contract gives no values. Known values: draft, proposed, accepted, applied, rejected, withdrawn. */
  readonly status: string
  /** Revision of the order that the amendment makes: 1 for the first, never reused within an order. */
  readonly revisionNumber: number
  /** The change itself: { changes: [ { collection, id, field, from, to } ] } in the demo data. */
  readonly data: JsonValue
  /** updatedAt of the order the amendment was written against. UTC, to the millisecond. */
  readonly baselineUpdatedAt: string | null
  /** Applied at. UTC, to the millisecond. */
  readonly appliedAt: string | null
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** Why it was applied although the order had changed since baselineUpdatedAt. */
  readonly overrideReason: string | null
  /** Rejection note. */
  readonly rejectionNote: string | null
}

/** What lists of Order Amendments can be narrowed by. Filters combine. */
export interface OrderAmendmentFilters {
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `revisionId` is exactly this. */
  readonly revisionId?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Order Amendments, by name. */
export interface OrderAmendmentRelations {
  readonly order: Order
  readonly revision: QuoteRevision
}

/** A batch of an order's goods made and released together. */
export interface ProductionRun {
  /** Identity of the record. */
  readonly id: string
  /** The order. Refers to orders. */
  readonly orderId: string
  /** The place the batch is made at and leaves from: its origin. Refers to locations. */
  readonly originId: string | null
  /** Run number. */
  readonly runNumber: number
  /** Day the batch left originId. Date, YYYY-MM-DD. */
  readonly actualExFactoryDate: string | null
  /** Set when the run was recorded in error; a retracted run counts for nothing. UTC, to the millisecond. */
  readonly retractedAt: string | null
  /** Retracted by: a person. No resource is served for people. */
  readonly retractedByUserId: string | null
  /** Retraction reason. */
  readonly retractionReason: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Production Runs can be narrowed by. Filters combine. */
export interface ProductionRunFilters {
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `originId` is exactly this. */
  readonly originId?: string | undefined
  /** Records whose `id` is `productionRunId` in a row of production-run-items with this `orderItemId`. */
  readonly orderItemId?: string | undefined
  /** Records whose `runNumber` is exactly this. */
  readonly runNumber?: number | undefined
}

/** What `include` can add to a record of Production Runs, by name. */
export interface ProductionRunRelations {
  readonly order: Order
  readonly origin: Location
}

/** The quantity of one order item in a production run. */
export interface ProductionRunItem {
  /** Identity of the record. */
  readonly id: string
  /** The production run. Refers to production-runs. */
  readonly productionRunId: string
  /** The order item. Refers to order-items. */
  readonly orderItemId: string
  /** Quantity. */
  readonly quantity: number
  /** Open list. Where the quantity comes from. Known values: plan, supplier_report, packing_list, inspection, manual. */
  readonly source: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Production Run Items can be narrowed by. Filters combine. */
export interface ProductionRunItemFilters {
  /** Records whose `productionRunId` is exactly this. */
  readonly productionRunId?: string | undefined
  /** Records whose `orderItemId` is exactly this. */
  readonly orderItemId?: string | undefined
}

/** What `include` can add to a record of Production Run Items, by name. */
export interface ProductionRunItemRelations {
  readonly productionRun: ProductionRun
  readonly orderItem: OrderItem
}

/** One change of the quantity of a production run item; never edited afterwards. */
export interface ProductionRunItemRevision {
  /** Identity of the record. */
  readonly id: string
  /** The production run item. Refers to production-run-items. */
  readonly productionRunItemId: string
  /** Revision number. */
  readonly revisionNumber: number
  /** Null for the first entry. */
  readonly previousQuantity: number | null
  /** Quantity. */
  readonly quantity: number
  /** Source. Known values: plan, supplier_report, packing_list, inspection, manual. */
  readonly source: string | null
  /** Reason. */
  readonly reason: string | null
  /** Revised by: a person. No resource is served for people. */
  readonly revisedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Production Run Item Revisions can be narrowed by. Filters combine. */
export interface ProductionRunItemRevisionFilters {
  /** Records whose `productionRunItemId` is exactly this. */
  readonly productionRunItemId?: string | undefined
  /** Records whose `source` is exactly this. */
  readonly source?: string | undefined
}

/** What `include` can add to a record of Production Run Item Revisions, by name. */
export interface ProductionRunItemRevisionRelations {
  readonly productionRunItem: ProductionRunItem
}

/** Goods moving together from one place to another under one set of papers. */
export interface Shipment {
  /** Identity of the record. */
  readonly id: string
  /** Shipment number. */
  readonly shipmentNumber: string
  /** Where the record stands. Known values: planned, booked, ready, in_transit, customs, arrived, delivered, received, cancelled. */
  readonly status: string
  /** Mode. Known values: ocean, air, road, rail, courier, multimodal. */
  readonly mode: string
  /** Load type. Known values: fcl, lcl, air_freight, ftl, ltl, parcel. */
  readonly loadType: string | null
  /** Shipper, when the goods come from one supplier. Refers to suppliers. */
  readonly supplierId: string | null
  /** The forwarder partner. Refers to partners. */
  readonly forwarderPartnerId: string | null
  /** Main carrier. Refers to couriers. */
  readonly courierId: string | null
  /** The origin location. Refers to locations. */
  readonly originLocationId: string | null
  /** The destination location. Refers to locations. */
  readonly destinationLocationId: string | null
  /** Incoterm code. Code: Incoterms 2020 code. */
  readonly incotermCode: string | null
  /** Incoterm place. */
  readonly incotermPlace: string | null
  /** Master bill of lading or master air waybill. */
  readonly masterBillNumber: string | null
  /** House bill number. */
  readonly houseBillNumber: string | null
  /** Tracking number. */
  readonly trackingNumber: string | null
  /** Customs entry number. */
  readonly customsEntryNumber: string | null
  /** Cargo ready date. Date, YYYY-MM-DD. */
  readonly cargoReadyDate: string | null
  /** Estimated departure at. UTC, to the millisecond. */
  readonly estimatedDepartureAt: string | null
  /** Actual departure at. UTC, to the millisecond. */
  readonly actualDepartureAt: string | null
  /** Estimated arrival at. UTC, to the millisecond. */
  readonly estimatedArrivalAt: string | null
  /** Actual arrival at. UTC, to the millisecond. */
  readonly actualArrivalAt: string | null
  /** Customs cleared at. UTC, to the millisecond. */
  readonly customsClearedAt: string | null
  /** Delivered at. UTC, to the millisecond. */
  readonly deliveredAt: string | null
  /** Total cartons. */
  readonly totalCartons: number | null
  /** Sum of its items' quantity. */
  readonly totalQuantity: number | null
  /** Net weight kg. Decimal string: kilograms. */
  readonly netWeightKg: string | null
  /** Gross weight kg. Decimal string: kilograms. */
  readonly grossWeightKg: string | null
  /** Volume cbm. Decimal string: cubic metres. */
  readonly volumeCbm: string | null
  /** Object keyed by custom-field-definitions.key of entity shipments. */
  readonly customFields: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Shipments can be narrowed by. Filters combine. */
export interface ShipmentFilters {
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `forwarderPartnerId` is exactly this. */
  readonly forwarderPartnerId?: string | undefined
  /** Records whose `courierId` is exactly this. */
  readonly courierId?: string | undefined
  /** Records whose `originLocationId` is exactly this. */
  readonly originLocationId?: string | undefined
  /** Records whose `destinationLocationId` is exactly this. */
  readonly destinationLocationId?: string | undefined
  /** Records whose `id` is `shipmentId` in a row of order-shipments with this `orderId`. */
  readonly orderId?: string | undefined
  /** Records whose `id` is `shipmentId` in a row of shipment-bookings with this `bookingId`. */
  readonly bookingId?: string | undefined
  /** Records whose `shipmentNumber` is exactly this. */
  readonly shipmentNumber?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `mode` is exactly this. */
  readonly mode?: string | undefined
  /** Records whose `masterBillNumber` is exactly this. */
  readonly masterBillNumber?: string | undefined
  /** Records whose `houseBillNumber` is exactly this. */
  readonly houseBillNumber?: string | undefined
  /** Records whose `trackingNumber` is exactly this. */
  readonly trackingNumber?: string | undefined
}

/** What `include` can add to a record of Shipments, by name. */
export interface ShipmentRelations {
  readonly supplier: Supplier
  readonly forwarderPartner: Partner
  readonly courier: Courier
  readonly originLocation: Location
  readonly destinationLocation: Location
}

/** A quantity of one order item on a shipment. */
export interface ShipmentItem {
  /** Identity of the record. */
  readonly id: string
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string
  /** Null for goods that were not ordered, such as free replacements. Refers to order-items. */
  readonly orderItemId: string | null
  /** The batch the goods come from. Refers to production-run-items. */
  readonly productionRunItemId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** Quantity. */
  readonly quantity: number
  /** Country of origin code. Code: ISO 3166-1 alpha-2. */
  readonly countryOfOriginCode: string | null
  /** Hts code. Code: tariff code, 6 to 10 digits. */
  readonly htsCode: string | null
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string | null
  /** Unit value declared to customs. Decimal string: price of one unit. Currency: currency. */
  readonly declaredUnitValue: string | null
  /** Net weight kg. Decimal string: kilograms. */
  readonly netWeightKg: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Shipment Items can be narrowed by. Filters combine. */
export interface ShipmentItemFilters {
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `orderItemId` is exactly this. */
  readonly orderItemId?: string | undefined
  /** Records whose `productionRunItemId` is exactly this. */
  readonly productionRunItemId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `htsCode` is exactly this. */
  readonly htsCode?: string | undefined
  /** Records whose `countryOfOriginCode` is exactly this. */
  readonly countryOfOriginCode?: string | undefined
}

/** What `include` can add to a record of Shipment Items, by name. */
export interface ShipmentItemRelations {
  readonly shipment: Shipment
  readonly orderItem: OrderItem
  readonly productionRunItem: ProductionRunItem
  readonly sku: Sku
}

/** One carton of a shipment. */
export interface ShipmentCarton {
  /** Identity of the record. */
  readonly id: string
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string
  /** The list that declares it. Refers to packing-lists. */
  readonly packingListId: string | null
  /** The carton size. Refers to carton-sizes. */
  readonly cartonSizeId: string | null
  /** The packing template. Refers to packing-templates. */
  readonly packingTemplateId: string | null
  /** Carton number. */
  readonly cartonNumber: string
  /** GS1 serial shipping container code: 18 digits with check digit. Code: SSCC with check digit. */
  readonly sscc: string | null
  /** Pallet reference. */
  readonly palletReference: string | null
  /** ISO 6346: four letters and seven digits. Code: ISO 6346 container number with check digit. */
  readonly containerNumber: string | null
  /** Length cm. Decimal string: centimetres. */
  readonly lengthCm: string | null
  /** Width cm. Decimal string: centimetres. */
  readonly widthCm: string | null
  /** Height cm. Decimal string: centimetres. */
  readonly heightCm: string | null
  /** Net weight kg. Decimal string: kilograms. */
  readonly netWeightKg: string | null
  /** Gross weight kg. Decimal string: kilograms. */
  readonly grossWeightKg: string | null
  /** Volume cbm. Decimal string: cubic metres. */
  readonly volumeCbm: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Shipment Cartons can be narrowed by. Filters combine. */
export interface ShipmentCartonFilters {
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `packingListId` is exactly this. */
  readonly packingListId?: string | undefined
  /** Records whose `cartonSizeId` is exactly this. */
  readonly cartonSizeId?: string | undefined
  /** Records whose `packingTemplateId` is exactly this. */
  readonly packingTemplateId?: string | undefined
  /** Records whose `cartonNumber` is exactly this. */
  readonly cartonNumber?: string | undefined
  /** Records whose `sscc` is exactly this. */
  readonly sscc?: string | undefined
  /** Records whose `palletReference` is exactly this. */
  readonly palletReference?: string | undefined
  /** Records whose `containerNumber` is exactly this. */
  readonly containerNumber?: string | undefined
}

/** What `include` can add to a record of Shipment Cartons, by name. */
export interface ShipmentCartonRelations {
  readonly shipment: Shipment
  readonly packingList: PackingList
  readonly cartonSize: CartonSize
  readonly packingTemplate: PackingTemplate
}

/** The quantity of one shipment item packed in a carton. */
export interface ShipmentCartonItem {
  /** Identity of the record. */
  readonly id: string
  /** The shipment carton. Refers to shipment-cartons. */
  readonly shipmentCartonId: string
  /** The shipment item. Refers to shipment-items. */
  readonly shipmentItemId: string
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** Quantity. */
  readonly quantity: number
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Shipment Carton Items can be narrowed by. Filters combine. */
export interface ShipmentCartonItemFilters {
  /** Records whose `shipmentCartonId` is exactly this. */
  readonly shipmentCartonId?: string | undefined
  /** Records whose `shipmentItemId` is exactly this. */
  readonly shipmentItemId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
}

/** What `include` can add to a record of Shipment Carton Items, by name. */
export interface ShipmentCartonItemRelations {
  readonly shipmentCarton: ShipmentCarton
  readonly shipmentItem: ShipmentItem
  readonly sku: Sku
}

/** A cost of moving or clearing a shipment. */
export interface ShipmentCharge {
  /** Identity of the record. */
  readonly id: string
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string
  /** When the charge is for one leg only. Refers to legs. */
  readonly legId: string | null
  /** Who charges it. Refers to partners. */
  readonly partnerId: string | null
  /** What kind of record it is. Known values: freight, origin_handling, destination_handling, fuel_surcharge, insurance, duty, tax, brokerage, inspection, storage, demurrage, detention, other. */
  readonly kind: string
  /** Stage. Known values: estimated, invoiced, disputed. */
  readonly stage: string
  /** Description. */
  readonly description: string | null
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Amount. Decimal string: money. Currency: currency. */
  readonly amount: string
  /** Exchange rate. Decimal string: exchange rate. */
  readonly exchangeRate: string | null
  /** Base amount. Decimal string: money. Currency: brand.baseCurrencyCode. */
  readonly baseAmount: string | null
  /** How it is spread over the items for landed cost. Known values: by_quantity, by_value, by_weight, by_volume. */
  readonly allocationMethod: string | null
  /** Charge date. Date, YYYY-MM-DD. */
  readonly chargeDate: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Shipment Charges can be narrowed by. Filters combine. */
export interface ShipmentChargeFilters {
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `legId` is exactly this. */
  readonly legId?: string | undefined
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `stage` is exactly this. */
  readonly stage?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
}

/** What `include` can add to a record of Shipment Charges, by name. */
export interface ShipmentChargeRelations {
  readonly shipment: Shipment
  readonly leg: Leg
  readonly partner: Partner
}

/** Says that a shipment carries goods of an order. */
export interface OrderShipment {
  /** The order. Refers to orders. */
  readonly orderId: string
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Order Shipments can be narrowed by. Filters combine. */
export interface OrderShipmentFilters {
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
}

/** What `include` can add to a record of Order Shipments, by name. */
export interface OrderShipmentRelations {
  readonly order: Order
  readonly shipment: Shipment
}

/** One movement of a shipment between two places by one means of transport. */
export interface Leg {
  /** Identity of the record. */
  readonly id: string
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string
  /** The booking. Refers to bookings. */
  readonly bookingId: string | null
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Mode. Known values: ocean, air, road, rail, courier. */
  readonly mode: string
  /** Where the record stands. Known values: planned, booked, departed, arrived, completed, cancelled. */
  readonly status: string
  /** The origin location. Refers to locations. */
  readonly originLocationId: string | null
  /** The destination location. Refers to locations. */
  readonly destinationLocationId: string | null
  /** Carrier of the leg. Refers to couriers. */
  readonly courierId: string | null
  /** Vessel name. */
  readonly vesselName: string | null
  /** Seven digits. Code: IMO ship number. */
  readonly vesselImo: string | null
  /** Voyage number. */
  readonly voyageNumber: string | null
  /** Flight number. */
  readonly flightNumber: string | null
  /** Container number. Code: ISO 6346 container number with check digit. */
  readonly containerNumber: string | null
  /** ISO 6346 size and type code. */
  readonly containerType: string | null
  /** Seal number. */
  readonly sealNumber: string | null
  /** Tracking number. */
  readonly trackingNumber: string | null
  /** Estimated departure at. UTC, to the millisecond. */
  readonly estimatedDepartureAt: string | null
  /** Actual departure at. UTC, to the millisecond. */
  readonly actualDepartureAt: string | null
  /** Estimated arrival at. UTC, to the millisecond. */
  readonly estimatedArrivalAt: string | null
  /** Actual arrival at. UTC, to the millisecond. */
  readonly actualArrivalAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Legs can be narrowed by. Filters combine. */
export interface LegFilters {
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `bookingId` is exactly this. */
  readonly bookingId?: string | undefined
  /** Records whose `originLocationId` is exactly this. */
  readonly originLocationId?: string | undefined
  /** Records whose `destinationLocationId` is exactly this. */
  readonly destinationLocationId?: string | undefined
  /** Records whose `courierId` is exactly this. */
  readonly courierId?: string | undefined
  /** Records whose `mode` is exactly this. */
  readonly mode?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `containerNumber` is exactly this. */
  readonly containerNumber?: string | undefined
  /** Records whose `trackingNumber` is exactly this. */
  readonly trackingNumber?: string | undefined
  /** Records whose `vesselName` is exactly this. */
  readonly vesselName?: string | undefined
  /** Records whose `voyageNumber` is exactly this. */
  readonly voyageNumber?: string | undefined
}

/** What `include` can add to a record of Legs, by name. */
export interface LegRelations {
  readonly shipment: Shipment
  readonly booking: Booking
  readonly originLocation: Location
  readonly destinationLocation: Location
  readonly courier: Courier
}

/** The quantity of one shipment item carried on a leg. */
export interface LegItem {
  /** Identity of the record. */
  readonly id: string
  /** The leg. Refers to legs. */
  readonly legId: string
  /** The shipment item. Refers to shipment-items. */
  readonly shipmentItemId: string
  /** Quantity. */
  readonly quantity: number
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Leg Items can be narrowed by. Filters combine. */
export interface LegItemFilters {
  /** Records whose `legId` is exactly this. */
  readonly legId?: string | undefined
  /** Records whose `shipmentItemId` is exactly this. */
  readonly shipmentItemId?: string | undefined
}

/** What `include` can add to a record of Leg Items, by name. */
export interface LegItemRelations {
  readonly leg: Leg
  readonly shipmentItem: ShipmentItem
}

/** Space asked for and confirmed with a forwarder or carrier. */
export interface Booking {
  /** Identity of the record. */
  readonly id: string
  /** Booking number. */
  readonly bookingNumber: string
  /** Carrier booking reference. */
  readonly carrierBookingReference: string | null
  /** Where the record stands. Known values: draft, requested, pending_update, confirmed, completed, declined, rolled, cancelled. */
  readonly status: string
  /** Mode. Known values: ocean, air, road, rail, courier. */
  readonly mode: string
  /** Load type. Known values: fcl, lcl, air_freight, ftl, ltl, parcel. */
  readonly loadType: string | null
  /** The forwarder partner. Refers to partners. */
  readonly forwarderPartnerId: string | null
  /** The courier. Refers to couriers. */
  readonly courierId: string | null
  /** The origin location. Refers to locations. */
  readonly originLocationId: string | null
  /** The destination location. Refers to locations. */
  readonly destinationLocationId: string | null
  /** ISO 6346 size and type code. */
  readonly equipmentType: string | null
  /** Equipment count. */
  readonly equipmentCount: number | null
  /** Vessel name. */
  readonly vesselName: string | null
  /** Voyage number. */
  readonly voyageNumber: string | null
  /** Flight number. */
  readonly flightNumber: string | null
  /** Cargo ready date. Date, YYYY-MM-DD. */
  readonly cargoReadyDate: string | null
  /** Cargo cutoff at. UTC, to the millisecond. */
  readonly cargoCutoffAt: string | null
  /** Document cutoff at. UTC, to the millisecond. */
  readonly documentCutoffAt: string | null
  /** Estimated departure at. UTC, to the millisecond. */
  readonly estimatedDepartureAt: string | null
  /** Estimated arrival at. UTC, to the millisecond. */
  readonly estimatedArrivalAt: string | null
  /** Total cartons. */
  readonly totalCartons: number | null
  /** Gross weight kg. Decimal string: kilograms. */
  readonly grossWeightKg: string | null
  /** Volume cbm. Decimal string: cubic metres. */
  readonly volumeCbm: string | null
  /** Requested at. UTC, to the millisecond. */
  readonly requestedAt: string | null
  /** Confirmed at. UTC, to the millisecond. */
  readonly confirmedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Bookings can be narrowed by. Filters combine. */
export interface BookingFilters {
  /** Records whose `forwarderPartnerId` is exactly this. */
  readonly forwarderPartnerId?: string | undefined
  /** Records whose `courierId` is exactly this. */
  readonly courierId?: string | undefined
  /** Records whose `originLocationId` is exactly this. */
  readonly originLocationId?: string | undefined
  /** Records whose `destinationLocationId` is exactly this. */
  readonly destinationLocationId?: string | undefined
  /** Records whose `id` is `bookingId` in a row of shipment-bookings with this `shipmentId`. */
  readonly shipmentId?: string | undefined
  /** Records whose `bookingNumber` is exactly this. */
  readonly bookingNumber?: string | undefined
  /** Records whose `carrierBookingReference` is exactly this. */
  readonly carrierBookingReference?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `mode` is exactly this. */
  readonly mode?: string | undefined
}

/** What `include` can add to a record of Bookings, by name. */
export interface BookingRelations {
  readonly forwarderPartner: Partner
  readonly courier: Courier
  readonly originLocation: Location
  readonly destinationLocation: Location
}

/** The quantity of one order item a booking is made for. */
export interface BookingItem {
  /** Identity of the record. */
  readonly id: string
  /** The booking. Refers to bookings. */
  readonly bookingId: string
  /** The order item. Refers to order-items. */
  readonly orderItemId: string | null
  /** The production run item. Refers to production-run-items. */
  readonly productionRunItemId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** Quantity. */
  readonly quantity: number
  /** Carton count. */
  readonly cartonCount: number | null
  /** Gross weight kg. Decimal string: kilograms. */
  readonly grossWeightKg: string | null
  /** Volume cbm. Decimal string: cubic metres. */
  readonly volumeCbm: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Booking Items can be narrowed by. Filters combine. */
export interface BookingItemFilters {
  /** Records whose `bookingId` is exactly this. */
  readonly bookingId?: string | undefined
  /** Records whose `orderItemId` is exactly this. */
  readonly orderItemId?: string | undefined
  /** Records whose `productionRunItemId` is exactly this. */
  readonly productionRunItemId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
}

/** What `include` can add to a record of Booking Items, by name. */
export interface BookingItemRelations {
  readonly booking: Booking
  readonly orderItem: OrderItem
  readonly productionRunItem: ProductionRunItem
  readonly sku: Sku
}

/** Says that a shipment travels on a booking. */
export interface ShipmentBooking {
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string
  /** The booking. Refers to bookings. */
  readonly bookingId: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Shipment Bookings can be narrowed by. Filters combine. */
export interface ShipmentBookingFilters {
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `bookingId` is exactly this. */
  readonly bookingId?: string | undefined
}

/** What `include` can add to a record of Shipment Bookings, by name. */
export interface ShipmentBookingRelations {
  readonly shipment: Shipment
  readonly booking: Booking
}

/** Says that a quantity of one shipment item became part of another, when goods are split, merged or forwarded. */
export interface ShipmentItemLineage {
  /** Identity of the record. */
  readonly id: string
  /** The source shipment item. Refers to shipment-items. */
  readonly sourceShipmentItemId: string
  /** The target shipment item. Refers to shipment-items. */
  readonly targetShipmentItemId: string
  /** forward: the same goods continue on another shipment after arriving. split: they leave the source before it moves. Known values: split, merge, forward, replace. */
  readonly kind: string
  /** Quantity. */
  readonly quantity: number
  /** Reason. */
  readonly reason: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Shipment Item Lineages can be narrowed by. Filters combine. */
export interface ShipmentItemLineageFilters {
  /** Records whose `sourceShipmentItemId` is exactly this. */
  readonly sourceShipmentItemId?: string | undefined
  /** Records whose `targetShipmentItemId` is exactly this. */
  readonly targetShipmentItemId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
}

/** What `include` can add to a record of Shipment Item Lineages, by name. */
export interface ShipmentItemLineageRelations {
  readonly sourceShipmentItem: ShipmentItem
  readonly targetShipmentItem: ShipmentItem
}

/** A packing list as stated by its document, with the totals it declares. */
export interface PackingList {
  /** Identity of the record. */
  readonly id: string
  /** The document. Refers to documents. */
  readonly documentId: string | null
  /** The order. Refers to orders. */
  readonly orderId: string | null
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string | null
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string | null
  /** Open list. What one line of the list stands for. Known values: summary, order_item, sku, carton_range, carton. */
  readonly grain: string
  /** Reference. */
  readonly reference: string | null
  /** Packing list date. Date, YYYY-MM-DD. */
  readonly packingListDate: string | null
  /** Stated total cartons. */
  readonly statedTotalCartons: number | null
  /** Stated total qty packed. Decimal string: quantity. */
  readonly statedTotalQtyPacked: string | null
  /** Stated net weight kg. Decimal string: kilograms. */
  readonly statedNetWeightKg: string | null
  /** Stated gross weight kg. Decimal string: kilograms. */
  readonly statedGrossWeightKg: string | null
  /** Stated volume cbm. Decimal string: cubic metres. */
  readonly statedVolumeCbm: string | null
  /** Unit the document itself uses; the figures here are kilograms. */
  readonly statedWeightUnit: string | null
  /** Unit the document itself uses; the figures here are cubic metres. */
  readonly statedVolumeUnit: string | null
  /** Stated pallet count. */
  readonly statedPalletCount: number | null
  /** Stated palletized volume cbm. Decimal string: cubic metres. */
  readonly statedPalletizedVolumeCbm: string | null
  /** Entered by. */
  readonly enteredBy: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Packing Lists can be narrowed by. Filters combine. */
export interface PackingListFilters {
  /** Records whose `documentId` is exactly this. */
  readonly documentId?: string | undefined
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `grain` is exactly this. */
  readonly grain?: string | undefined
  /** Records whose `reference` is exactly this. */
  readonly reference?: string | undefined
  /** Records whose `packingListDate` is exactly this. */
  readonly packingListDate?: string | undefined
}

/** What `include` can add to a record of Packing Lists, by name. */
export interface PackingListRelations {
  readonly document: Document
  readonly order: Order
  readonly shipment: Shipment
  readonly supplier: Supplier
}

/** One line of a packing list as stated, matched to the order and shipment where possible. */
export interface PackingListLine {
  /** Identity of the record. */
  readonly id: string
  /** The packing list. Refers to packing-lists. */
  readonly packingListId: string
  /** Line number. */
  readonly lineNumber: number
  /** The order item. Refers to order-items. */
  readonly orderItemId: string | null
  /** The shipment item. Refers to shipment-items. */
  readonly shipmentItemId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** Match status. Known values: unmatched, matched, mismatch, ignored. */
  readonly matchStatus: string
  /** Stated sku code. */
  readonly statedSkuCode: string | null
  /** Stated description. */
  readonly statedDescription: string | null
  /** Stated color. */
  readonly statedColor: string | null
  /** Stated size. */
  readonly statedSize: string | null
  /** Stated carton from. */
  readonly statedCartonFrom: string | null
  /** Stated carton to. */
  readonly statedCartonTo: string | null
  /** A carton shared by several lines is counted on the first of them only. */
  readonly statedCartonCount: number | null
  /** Stated qty per carton. Decimal string: quantity. */
  readonly statedQtyPerCarton: string | null
  /** Stated qty. Decimal string: quantity. */
  readonly statedQty: string | null
  /** Stated net weight kg. Decimal string: kilograms. */
  readonly statedNetWeightKg: string | null
  /** Stated gross weight kg. Decimal string: kilograms. */
  readonly statedGrossWeightKg: string | null
  /** Stated volume cbm. Decimal string: cubic metres. */
  readonly statedVolumeCbm: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Packing List Lines can be narrowed by. Filters combine. */
export interface PackingListLineFilters {
  /** Records whose `packingListId` is exactly this. */
  readonly packingListId?: string | undefined
  /** Records whose `orderItemId` is exactly this. */
  readonly orderItemId?: string | undefined
  /** Records whose `shipmentItemId` is exactly this. */
  readonly shipmentItemId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `matchStatus` is exactly this. */
  readonly matchStatus?: string | undefined
  /** Records whose `statedSkuCode` is exactly this. */
  readonly statedSkuCode?: string | undefined
}

/** What `include` can add to a record of Packing List Lines, by name. */
export interface PackingListLineRelations {
  readonly packingList: PackingList
  readonly orderItem: OrderItem
  readonly shipmentItem: ShipmentItem
  readonly sku: Sku
}

/** The arrival of goods at a location of the brand, as counted there. */
export interface GoodsReceipt {
  /** Identity of the record. */
  readonly id: string
  /** Receipt number. */
  readonly receiptNumber: string
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string | null
  /** The list the count was made against. Refers to packing-lists. */
  readonly packingListId: string | null
  /** The location. Refers to locations. */
  readonly locationId: string
  /** Where the record stands. Known values: expected, in_progress, completed, cancelled. */
  readonly status: string
  /** Delivery note or warehouse reference. */
  readonly reference: string | null
  /** Received at. UTC, to the millisecond. */
  readonly receivedAt: string | null
  /** Received by: a person. No resource is served for people. */
  readonly receivedByUserId: string | null
  /** Total cartons. */
  readonly totalCartons: number | null
  /** Comment. */
  readonly comment: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Goods Receipts can be narrowed by. Filters combine. */
export interface GoodsReceiptFilters {
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `packingListId` is exactly this. */
  readonly packingListId?: string | undefined
  /** Records whose `locationId` is exactly this. */
  readonly locationId?: string | undefined
  /** Records whose `receiptNumber` is exactly this. */
  readonly receiptNumber?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `reference` is exactly this. */
  readonly reference?: string | undefined
}

/** What `include` can add to a record of Goods Receipts, by name. */
export interface GoodsReceiptRelations {
  readonly shipment: Shipment
  readonly packingList: PackingList
  readonly location: Location
}

/** The count of one SKU in a goods receipt. */
export interface GoodsReceiptLine {
  /** Identity of the record. */
  readonly id: string
  /** The goods receipt. Refers to goods-receipts. */
  readonly goodsReceiptId: string
  /** The shipment item. Refers to shipment-items. */
  readonly shipmentItemId: string | null
  /** When counted carton by carton. Refers to shipment-cartons. */
  readonly shipmentCartonId: string | null
  /** The order item. Refers to order-items. */
  readonly orderItemId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string
  /** Expected quantity. */
  readonly expectedQuantity: number | null
  /** Everything that physically arrived, damaged and rejected pieces included. */
  readonly receivedQuantity: number
  /** Damaged quantity. */
  readonly damagedQuantity: number
  /** Refused for quality; not counted in damagedQuantity. */
  readonly rejectedQuantity: number
  /** Discrepancy reason. Known values: short, over, damaged, wrong_item, quality. */
  readonly discrepancyReason: string | null
  /** Comment. */
  readonly comment: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Goods Receipt Lines can be narrowed by. Filters combine. */
export interface GoodsReceiptLineFilters {
  /** Records whose `goodsReceiptId` is exactly this. */
  readonly goodsReceiptId?: string | undefined
  /** Records whose `shipmentItemId` is exactly this. */
  readonly shipmentItemId?: string | undefined
  /** Records whose `shipmentCartonId` is exactly this. */
  readonly shipmentCartonId?: string | undefined
  /** Records whose `orderItemId` is exactly this. */
  readonly orderItemId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `discrepancyReason` is exactly this. */
  readonly discrepancyReason?: string | undefined
}

/** What `include` can add to a record of Goods Receipt Lines, by name. */
export interface GoodsReceiptLineRelations {
  readonly goodsReceipt: GoodsReceipt
  readonly shipmentItem: ShipmentItem
  readonly shipmentCarton: ShipmentCarton
  readonly orderItem: OrderItem
  readonly sku: Sku
}

/** The stock of one SKU at one location. */
export interface InventoryLevel {
  /** Identity of the record. */
  readonly id: string
  /** The sku. Refers to skus. */
  readonly skuId: string
  /** The location. Refers to locations. */
  readonly locationId: string
  /** Everything physically there: available + reserved + damaged + quality hold. */
  readonly onHandQuantity: number
  /** Available quantity. */
  readonly availableQuantity: number
  /** Reserved quantity. */
  readonly reservedQuantity: number
  /** Damaged quantity. */
  readonly damagedQuantity: number
  /** Quality hold quantity. */
  readonly qualityHoldQuantity: number
  /** On shipments towards the location, not yet received; not part of onHandQuantity. */
  readonly incomingQuantity: number
  /** Landed cost per unit. Decimal string: price of one unit. Currency: brand.baseCurrencyCode. */
  readonly unitCost: string | null
  /** Last physical count. UTC, to the millisecond. */
  readonly countedAt: string | null
  /** Moment the figures hold for. UTC, to the millisecond. */
  readonly asOf: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Inventory can be narrowed by. Filters combine. */
export interface InventoryLevelFilters {
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `locationId` is exactly this. */
  readonly locationId?: string | undefined
}

/** What `include` can add to a record of Inventory, by name. */
export interface InventoryLevelRelations {
  readonly sku: Sku
  readonly location: Location
}

/** An invoice or credit note the brand received. */
export interface Invoice {
  /** Identity of the record. */
  readonly id: string
  /** Invoice number. */
  readonly invoiceNumber: string
  /** What kind of record it is. Known values: deposit, commercial, freight, customs, service, credit_note. */
  readonly kind: string
  /** Where the record stands. Known values: draft, received, approved, partially_paid, paid, disputed, void. */
  readonly status: string
  /** Who issued it. Refers to partners. */
  readonly partnerId: string
  /** Set when the issuer is a supplier of the brand. Refers to suppliers. */
  readonly supplierId: string | null
  /** The order. Refers to orders. */
  readonly orderId: string | null
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string | null
  /** The document. Refers to documents. */
  readonly documentId: string | null
  /** Credit notes: the invoice they reduce. Refers to invoices. */
  readonly creditedInvoiceId: string | null
  /** The payment term. Refers to payment-terms. */
  readonly paymentTermId: string | null
  /** Invoice date. Date, YYYY-MM-DD. */
  readonly invoiceDate: string
  /** Received date. Date, YYYY-MM-DD. */
  readonly receivedDate: string | null
  /** Due date. Date, YYYY-MM-DD. */
  readonly dueDate: string | null
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Exchange rate. Decimal string: exchange rate. */
  readonly exchangeRate: string | null
  /** Total printed on the document. Decimal string: money. Currency: currency. */
  readonly statedTotalAmount: string | null
  /** Sum of its lines' amount. Decimal string: money. Currency: currency. */
  readonly subtotalAmount: string
  /** Sum of its lines' taxAmount. Decimal string: money. Currency: currency. */
  readonly taxAmount: string
  /** subtotalAmount + taxAmount; negative on a credit note. Decimal string: money. Currency: currency. */
  readonly totalAmount: string
  /** Taken off by credit notes, as a positive figure; on a credit note itself, the part already applied, as a negative figure. Decimal string: money. Currency: currency. */
  readonly creditedAmount: string
  /** Sum of its settlements that were not reversed. Decimal string: money. Currency: currency. */
  readonly paidAmount: string
  /** totalAmount - creditedAmount - paidAmount. Decimal string: money. Currency: currency. */
  readonly balanceAmount: string
  /** Approved at. UTC, to the millisecond. */
  readonly approvedAt: string | null
  /** Approved by: a person. No resource is served for people. */
  readonly approvedByUserId: string | null
  /** Entered by. */
  readonly enteredBy: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Invoices can be narrowed by. Filters combine. */
export interface InvoiceFilters {
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `documentId` is exactly this. */
  readonly documentId?: string | undefined
  /** Records whose `creditedInvoiceId` is exactly this. */
  readonly creditedInvoiceId?: string | undefined
  /** Records whose `paymentTermId` is exactly this. */
  readonly paymentTermId?: string | undefined
  /** Records whose `id` is `invoiceId` in a row of payment-settlements with this `paymentId`. */
  readonly paymentId?: string | undefined
  /** Records whose `invoiceNumber` is exactly this. */
  readonly invoiceNumber?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
}

/** What `include` can add to a record of Invoices, by name. */
export interface InvoiceRelations {
  readonly partner: Partner
  readonly supplier: Supplier
  readonly order: Order
  readonly shipment: Shipment
  readonly document: Document
  readonly creditedInvoice: Invoice
  readonly paymentTerm: PaymentTerm
}

/** One line of an invoice. */
export interface InvoiceLine {
  /** Identity of the record. */
  readonly id: string
  /** The invoice. Refers to invoices. */
  readonly invoiceId: string
  /** Line number. */
  readonly lineNumber: number
  /** What kind of record it is. Known values: goods, deposit, deposit_deduction, freight, duty, surcharge, discount, adjustment, other. */
  readonly kind: string
  /** The order item. Refers to order-items. */
  readonly orderItemId: string | null
  /** The shipment item. Refers to shipment-items. */
  readonly shipmentItemId: string | null
  /** The shipment charge. Refers to shipment-charges. */
  readonly shipmentChargeId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** Description. */
  readonly description: string
  /** Quantity. Decimal string: quantity. */
  readonly quantity: string | null
  /** The unit of measure. Refers to units-of-measure. */
  readonly unitOfMeasureId: string | null
  /** Unit price. Decimal string: price of one unit. Currency: invoiceId.currency. */
  readonly unitPrice: string | null
  /** quantity x unitPrice where both are given; negative for deductions. Decimal string: money. Currency: invoiceId.currency. */
  readonly amount: string
  /** Tax rate percent. Decimal string: percent. */
  readonly taxRatePercent: string | null
  /** Tax amount. Decimal string: money. Currency: invoiceId.currency. */
  readonly taxAmount: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Invoice Lines can be narrowed by. Filters combine. */
export interface InvoiceLineFilters {
  /** Records whose `invoiceId` is exactly this. */
  readonly invoiceId?: string | undefined
  /** Records whose `orderItemId` is exactly this. */
  readonly orderItemId?: string | undefined
  /** Records whose `shipmentItemId` is exactly this. */
  readonly shipmentItemId?: string | undefined
  /** Records whose `shipmentChargeId` is exactly this. */
  readonly shipmentChargeId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
}

/** What `include` can add to a record of Invoice Lines, by name. */
export interface InvoiceLineRelations {
  readonly invoice: Invoice
  readonly orderItem: OrderItem
  readonly shipmentItem: ShipmentItem
  readonly shipmentCharge: ShipmentCharge
  readonly sku: Sku
  readonly unitOfMeasure: UnitOfMeasure
}

/** How one order, or one partner's work, will be paid: the terms agreed and their schedule. */
export interface PaymentAgreement {
  /** Identity of the record. */
  readonly id: string
  /** Reference. */
  readonly reference: string | null
  /** The order. Refers to orders. */
  readonly orderId: string | null
  /** Payee. Refers to partners. */
  readonly partnerId: string
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string | null
  /** The payment term. Refers to payment-terms. */
  readonly paymentTermId: string | null
  /** The signed agreement. Refers to documents. */
  readonly documentId: string | null
  /** Where the record stands. Known values: draft, agreed, active, completed, cancelled. */
  readonly status: string
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Sum of its milestones' amount. Decimal string: money. Currency: currency. */
  readonly totalAmount: string
  /** Agreed at. UTC, to the millisecond. */
  readonly agreedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Payment Agreements can be narrowed by. Filters combine. */
export interface PaymentAgreementFilters {
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `paymentTermId` is exactly this. */
  readonly paymentTermId?: string | undefined
  /** Records whose `documentId` is exactly this. */
  readonly documentId?: string | undefined
  /** Records whose `reference` is exactly this. */
  readonly reference?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
}

/** What `include` can add to a record of Payment Agreements, by name. */
export interface PaymentAgreementRelations {
  readonly order: Order
  readonly partner: Partner
  readonly supplier: Supplier
  readonly paymentTerm: PaymentTerm
  readonly document: Document
}

/** One instalment of a payment agreement and the event that makes it due. */
export interface PaymentMilestone {
  /** Identity of the record. */
  readonly id: string
  /** The payment agreement. Refers to payment-agreements. */
  readonly paymentAgreementId: string
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Name shown to people. */
  readonly name: string
  /** Trigger. Known values: order_confirmed, production_started, ex_factory, bill_of_lading, arrival, goods_received, invoice_date, fixed_date. */
  readonly trigger: string
  /** Percent. Decimal string: percent. */
  readonly percent: string | null
  /** Amount. Decimal string: money. Currency: paymentAgreementId.currency. */
  readonly amount: string
  /** Days after the trigger. */
  readonly offsetDays: number | null
  /** When the trigger happened. UTC, to the millisecond. */
  readonly reachedAt: string | null
  /** Due date. Date, YYYY-MM-DD. */
  readonly dueDate: string | null
  /** Where the record stands. Known values: pending, due, partially_paid, paid, waived. */
  readonly status: string
  /** Part that will not be paid, for example because less was shipped. Decimal string: money. Currency: paymentAgreementId.currency. */
  readonly waivedAmount: string | null
  /** The invoice that bills it, when it is a single one. Refers to invoices. */
  readonly invoiceId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Payment Milestones can be narrowed by. Filters combine. */
export interface PaymentMilestoneFilters {
  /** Records whose `paymentAgreementId` is exactly this. */
  readonly paymentAgreementId?: string | undefined
  /** Records whose `invoiceId` is exactly this. */
  readonly invoiceId?: string | undefined
  /** Records whose `trigger` is exactly this. */
  readonly trigger?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Payment Milestones, by name. */
export interface PaymentMilestoneRelations {
  readonly paymentAgreement: PaymentAgreement
  readonly invoice: Invoice
}

/** A sum of money sent to, or returned by, a partner. */
export interface Payment {
  /** Identity of the record. */
  readonly id: string
  /** Payment number. */
  readonly paymentNumber: string
  /** Direction. Known values: outgoing, incoming. */
  readonly direction: string
  /** Payee; payer when direction is incoming. Refers to partners. */
  readonly partnerId: string
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string | null
  /** Method. Known values: wire, sepa, ach, card, letter_of_credit, documentary_collection, cheque. */
  readonly method: string
  /** Where the record stands. Known values: scheduled, initiated, completed, failed, cancelled. */
  readonly status: string
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string
  /** Amount. Decimal string: money. Currency: currency. */
  readonly amount: string
  /** Base currency per unit of the payment's currency. Decimal string: exchange rate. */
  readonly exchangeRate: string | null
  /** Base amount. Decimal string: money. Currency: brand.baseCurrencyCode. */
  readonly baseAmount: string | null
  /** Borne by the brand on top of amount. Decimal string: money. Currency: currency. */
  readonly bankFeeAmount: string | null
  /** Bank reference. */
  readonly reference: string | null
  /** Scheduled date. Date, YYYY-MM-DD. */
  readonly scheduledDate: string | null
  /** Initiated at. UTC, to the millisecond. */
  readonly initiatedAt: string | null
  /** Completed at. UTC, to the millisecond. */
  readonly completedAt: string | null
  /** Initiated by: a person. No resource is served for people. */
  readonly initiatedByUserId: string | null
  /** Approved by: a person. No resource is served for people. */
  readonly approvedByUserId: string | null
  /** Remark printed on the document. */
  readonly memo: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Payments can be narrowed by. Filters combine. */
export interface PaymentFilters {
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `id` is `paymentId` in a row of payment-settlements with this `invoiceId`. */
  readonly invoiceId?: string | undefined
  /** Records whose `paymentNumber` is exactly this. */
  readonly paymentNumber?: string | undefined
  /** Records whose `direction` is exactly this. */
  readonly direction?: string | undefined
  /** Records whose `method` is exactly this. */
  readonly method?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `currency` is exactly this. */
  readonly currency?: string | undefined
  /** Records whose `reference` is exactly this. */
  readonly reference?: string | undefined
}

/** What `include` can add to a record of Payments, by name. */
export interface PaymentRelations {
  readonly partner: Partner
  readonly supplier: Supplier
}

/** The part of a payment that pays one invoice or one milestone. */
export interface PaymentSettlement {
  /** Identity of the record. */
  readonly id: string
  /** The payment. Refers to payments. */
  readonly paymentId: string
  /** The invoice. Refers to invoices. */
  readonly invoiceId: string | null
  /** The payment milestone. Refers to payment-milestones. */
  readonly paymentMilestoneId: string | null
  /** In the payment's currency. Decimal string: money. Currency: paymentId.currency. */
  readonly amount: string
  /** The same in the invoice's currency; equals amount when the currencies are the same. Decimal string: money. Currency: invoiceId.currency. */
  readonly invoiceAmount: string | null
  /** Invoice currency per unit of the payment's currency. Decimal string: exchange rate. */
  readonly exchangeRate: string | null
  /** Settled at. UTC, to the millisecond. */
  readonly settledAt: string
  /** Set when the settlement was undone; it then counts for nothing. UTC, to the millisecond. */
  readonly reversedAt: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Payment Settlements can be narrowed by. Filters combine. */
export interface PaymentSettlementFilters {
  /** Records whose `paymentId` is exactly this. */
  readonly paymentId?: string | undefined
  /** Records whose `invoiceId` is exactly this. */
  readonly invoiceId?: string | undefined
  /** Records whose `paymentMilestoneId` is exactly this. */
  readonly paymentMilestoneId?: string | undefined
}

/** What `include` can add to a record of Payment Settlements, by name. */
export interface PaymentSettlementRelations {
  readonly payment: Payment
  readonly invoice: Invoice
  readonly paymentMilestone: PaymentMilestone
}

/** Proof that a payment arrived: the payee's or the bank's confirmation. */
export interface PaymentReceipt {
  /** Identity of the record. */
  readonly id: string
  /** The payment. Refers to payments. */
  readonly paymentId: string
  /** The document. Refers to documents. */
  readonly documentId: string | null
  /** Who confirmed it. Refers to contacts. */
  readonly contactId: string | null
  /** Reference. */
  readonly reference: string | null
  /** Received date. Date, YYYY-MM-DD. */
  readonly receivedDate: string | null
  /** Stated currency. Code: ISO 4217. */
  readonly statedCurrency: string | null
  /** What arrived, as stated. Decimal string: money. Currency: statedCurrency. */
  readonly statedAmount: string | null
  /** Taken off on the way, as stated. Decimal string: money. Currency: statedCurrency. */
  readonly statedBankFeeAmount: string | null
  /** Entered by. */
  readonly enteredBy: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Payment Receipts can be narrowed by. Filters combine. */
export interface PaymentReceiptFilters {
  /** Records whose `paymentId` is exactly this. */
  readonly paymentId?: string | undefined
  /** Records whose `documentId` is exactly this. */
  readonly documentId?: string | undefined
  /** Records whose `contactId` is exactly this. */
  readonly contactId?: string | undefined
  /** Records whose `reference` is exactly this. */
  readonly reference?: string | undefined
}

/** What `include` can add to a record of Payment Receipts, by name. */
export interface PaymentReceiptRelations {
  readonly payment: Payment
  readonly document: Document
  readonly contact: Contact
}

/** A company the brand works with (factory, mill, agent, forwarder, laboratory), with the brand's own relationship to it. */
export interface Partner {
  /** Identity of the record. */
  readonly id: string
  /** Short name for addresses. */
  readonly slug: string
  /** Name shown to people. */
  readonly name: string
  /** Short name. */
  readonly shortName: string | null
  /** ISO 3166-1 alpha-2. Code: ISO 3166-1 alpha-2. */
  readonly countryCode: string | null
  /** ISO 4217. Code: ISO 4217. */
  readonly defaultCurrencyCode: string | null
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** Minimum order quantity, in pieces. */
  readonly moq: number | null
  /** Minimum order quantity per colour, in pieces. */
  readonly moqByColor: number | null
  /** Moq last confirmed at. UTC, to the millisecond. */
  readonly moqLastConfirmedAt: string | null
  /** US customs manufacturer identification code, at most 15 characters, starting with the country code. */
  readonly midCode: string | null
  /** Website. */
  readonly website: string | null
  /** Business registration number. */
  readonly businessRegistrationNumber: string | null
  /** Tax id. */
  readonly taxId: string | null
  /** Minimum order value. Decimal string: money. Currency: defaultCurrencyCode. */
  readonly minimumOrderValue: string | null
  /** Certifications. */
  readonly certifications: readonly string[] | null
  /** Specializations. */
  readonly specializations: readonly string[] | null
  /** Production capacity. */
  readonly productionCapacity: number | null
  /** Known values only; the contract leaves it open. Known values: pieces_per_month, pieces_per_week, meters_per_month, kilograms_per_month. */
  readonly productionCapacityUnit: string | null
  /** Factory audit date. Date, YYYY-MM-DD. */
  readonly factoryAuditDate: string | null
  /** Open list: the contract gives no values. Known values: not_audited, scheduled, passed, conditional, failed, expired. */
  readonly factoryAuditStatus: string | null
  /** Open list. State of the company itself, the same for every brand. Known values: prospect, active, inactive, blocked. */
  readonly partnerStatus: string | null
  /** Last contact date. Date, YYYY-MM-DD. */
  readonly lastContactDate: string | null
  /** Next contact date. Date, YYYY-MM-DD. */
  readonly nextContactDate: string | null
  /** Free remarks. */
  readonly notes: JsonValue
  /** Equipment technology. */
  readonly equipmentTechnology: string | null
  /** Packaging capabilities. */
  readonly packagingCapabilities: string | null
  /** Verified. */
  readonly verified: boolean | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** The brand's relationship with this partner. */
  readonly relationship: {
    /** Identity of the record. */
    readonly id: string
    /** Open list. State of the relationship with this brand. Known values: invited, onboarding, active, ended, on_hold. */
    readonly status: string
    /** Brand notes. */
    readonly brandNotes: JsonValue
    /** Default incoterm code. Code: Incoterms 2020 code. */
    readonly defaultIncotermCode: string | null
    /** Default currency code. Code: ISO 4217. */
    readonly defaultCurrencyCode: string | null
    /** The default payment term. Refers to payment-terms. */
    readonly defaultPaymentTermId: string | null
    /** Decimal string; 0 to 5 in the demo data. */
    readonly qualityRating: string | null
    /** Decimal string; 0 to 5 in the demo data. */
    readonly ontimeRating: string | null
    /** Decimal string; 0 to 5 in the demo data. */
    readonly responsivenessRating: string | null
    /** Decimal string; 0 to 100 in the demo data. */
    readonly sustainabilityScore: string | null
    /** Brand owner: a person. No resource is served for people. */
    readonly brandOwnerUserId: string | null
    /** Object keyed by custom-field-definitions.key of entity partners. */
    readonly customFields: JsonValue
  }
}

/** What lists of Partners can be narrowed by. Filters combine. */
export interface PartnerFilters {
  /** Records whose `slug` is exactly this. */
  readonly slug?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `countryCode` is exactly this. */
  readonly countryCode?: string | undefined
  /** Records whose `partnerStatus` is exactly this. */
  readonly partnerStatus?: string | undefined
  /** Records whose `factoryAuditStatus` is exactly this. */
  readonly factoryAuditStatus?: string | undefined
  /** Records whose `relationship.status` is exactly this. */
  readonly relationshipStatus?: string | undefined
}

/** What `include` can add to a record of Partners, by name. */
export interface PartnerRelations {
}

/** A person at a partner, as the brand knows them. */
export interface Contact {
  /** Identity of the record. */
  readonly id: string
  /** The partner. Refers to partners. */
  readonly partnerId: string
  /** Where the person works. Refers to locations. */
  readonly locationId: string | null
  /** Display name. */
  readonly displayName: string
  /** First name. */
  readonly firstName: string | null
  /** Last name. */
  readonly lastName: string | null
  /** Job title. */
  readonly jobTitle: string | null
  /** What it is used for. Known values: sales, merchandising, production, quality, logistics, finance, management, other. */
  readonly role: string | null
  /** Email. */
  readonly email: string | null
  /** E.164 where known. */
  readonly phone: string | null
  /** For example a WhatsApp or WeChat identifier. */
  readonly messagingHandle: string | null
  /** ISO 639-1. */
  readonly languageCode: string | null
  /** Timezone. */
  readonly timezone: string | null
  /** At most one primary contact per partner and role. */
  readonly isPrimary: boolean
  /** Where the record stands. Known values: active, inactive. */
  readonly status: string
  /** Free remarks. */
  readonly notes: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Contacts can be narrowed by. Filters combine. */
export interface ContactFilters {
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `locationId` is exactly this. */
  readonly locationId?: string | undefined
  /** Records whose `displayName` is exactly this. */
  readonly displayName?: string | undefined
  /** Records whose `email` is exactly this. */
  readonly email?: string | undefined
  /** Records whose `role` is exactly this. */
  readonly role?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Contacts, by name. */
export interface ContactRelations {
  readonly partner: Partner
  readonly location: Location
}

/** A place goods are made at, move through or are kept in: factory, warehouse, port, airport, office, shop. */
export interface Location {
  /** Identity of the record. */
  readonly id: string
  /** Name shown to people. */
  readonly name: string
  /** Short code used on documents. */
  readonly code: string | null
  /** What kind of record it is. Known values: factory, mill, warehouse, fulfilment_center, consolidation_center, port, airport, rail_terminal, store, office, laboratory. */
  readonly kind: string
  /** Address line1. */
  readonly addressLine1: string | null
  /** Address line2. */
  readonly addressLine2: string | null
  /** Town or city. */
  readonly city: string | null
  /** Region. */
  readonly region: string | null
  /** Postal code. */
  readonly postalCode: string | null
  /** Country code. Code: ISO 3166-1 alpha-2. */
  readonly countryCode: string
  /** UN/LOCODE: two-letter country and three characters. */
  readonly unLocode: string | null
  /** Airports: three letters. */
  readonly iataCode: string | null
  /** GS1 global location number: 13 digits with check digit. Code: GLN with check digit. */
  readonly gln: string | null
  /** Timezone. */
  readonly timezone: string | null
  /** Latitude. Decimal string: degrees, wgs 84. */
  readonly latitude: string | null
  /** Longitude. Decimal string: degrees, wgs 84. */
  readonly longitude: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Locations can be narrowed by. Filters combine. */
export interface LocationFilters {
  /** Records whose `id` is `locationId` in a row of partner-locations with this `partnerId`. */
  readonly partnerId?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `countryCode` is exactly this. */
  readonly countryCode?: string | undefined
  /** Records whose `city` is exactly this. */
  readonly city?: string | undefined
  /** Records whose `unLocode` is exactly this. */
  readonly unLocode?: string | undefined
}

/** What `include` can add to a record of Locations, by name. */
export interface LocationRelations {
}

/** The use the brand makes of a location: its warehouse, its port of entry, its office. */
export interface BrandLocation {
  /** Identity of the record. */
  readonly id: string
  /** The brand. Refers to brand. */
  readonly brandId: string
  /** The location. Refers to locations. */
  readonly locationId: string
  /** What it is used for. Known values: headquarters, office, warehouse, fulfilment_center, store, returns_center, port_of_loading, port_of_discharge, transit_point. */
  readonly role: string
  /** The brand's own code for the place, for example its warehouse number. */
  readonly code: string | null
  /** At most one default location per role. */
  readonly isDefault: boolean
  /** Goods receipts and inventory may name this location. */
  readonly receivesGoods: boolean
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Brand Locations can be narrowed by. Filters combine. */
export interface BrandLocationFilters {
  /** Records whose `locationId` is exactly this. */
  readonly locationId?: string | undefined
  /** Records whose `role` is exactly this. */
  readonly role?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
}

/** What `include` can add to a record of Brand Locations, by name. */
export interface BrandLocationRelations {
  readonly brand: Brand
  readonly location: Location
}

/** A site of a partner and what it is used for. */
export interface PartnerLocation {
  /** Identity of the record. */
  readonly id: string
  /** The partner. Refers to partners. */
  readonly partnerId: string
  /** The location. Refers to locations. */
  readonly locationId: string
  /** What it is used for. Known values: factory, mill, dyehouse, laundry, printer, warehouse, office, laboratory, freight_station. */
  readonly role: string
  /** At most one primary site per partner and role. */
  readonly isPrimary: boolean
  /** Manufacturer identification code of this site, when it differs from the partner's. */
  readonly midCode: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Partner Locations can be narrowed by. Filters combine. */
export interface PartnerLocationFilters {
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `locationId` is exactly this. */
  readonly locationId?: string | undefined
  /** Records whose `role` is exactly this. */
  readonly role?: string | undefined
  /** Records whose `midCode` is exactly this. */
  readonly midCode?: string | undefined
}

/** What `include` can add to a record of Partner Locations, by name. */
export interface PartnerLocationRelations {
  readonly partner: Partner
  readonly location: Location
}

/** A file kept with the brand's records: tech pack, commercial invoice, bill of lading, certificate. */
export interface Document {
  /** Identity of the record. */
  readonly id: string
  /** The document type. Refers to document-types. */
  readonly documentTypeId: string | null
  /** Name shown to people. */
  readonly name: string
  /** Number printed on the document. */
  readonly reference: string | null
  /** Document date. Date, YYYY-MM-DD. */
  readonly documentDate: string | null
  /** Where the record stands. Known values: received, in_review, approved, superseded, rejected, expired. */
  readonly status: string
  /** Version. */
  readonly version: number
  /** The document this one replaces. Refers to documents. */
  readonly supersedesDocumentId: string | null
  /** File name. */
  readonly fileName: string
  /** Mime type. */
  readonly mimeType: string
  /** Size bytes. */
  readonly sizeBytes: number
  /** Lower-case hexadecimal digest of the file. */
  readonly sha256: string | null
  /** Certificates and licences. Date, YYYY-MM-DD. */
  readonly expiryDate: string | null
  /** The partner. Refers to partners. */
  readonly partnerId: string | null
  /** The product. Refers to parent-products. */
  readonly productId: string | null
  /** The product version. Refers to product-versions. */
  readonly productVersionId: string | null
  /** The quote. Refers to quotes. */
  readonly quoteId: string | null
  /** The sample. Refers to samples. */
  readonly sampleId: string | null
  /** The order. Refers to orders. */
  readonly orderId: string | null
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string | null
  /** Uploaded by: a person. No resource is served for people. */
  readonly uploadedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Documents can be narrowed by. Filters combine. */
export interface DocumentFilters {
  /** Records whose `documentTypeId` is exactly this. */
  readonly documentTypeId?: string | undefined
  /** Records whose `supersedesDocumentId` is exactly this. */
  readonly supersedesDocumentId?: string | undefined
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productVersionId` is exactly this. */
  readonly productVersionId?: string | undefined
  /** Records whose `quoteId` is exactly this. */
  readonly quoteId?: string | undefined
  /** Records whose `sampleId` is exactly this. */
  readonly sampleId?: string | undefined
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `reference` is exactly this. */
  readonly reference?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `mimeType` is exactly this. */
  readonly mimeType?: string | undefined
}

/** What `include` can add to a record of Documents, by name. */
export interface DocumentRelations {
  readonly documentType: DocumentType
  readonly supersedesDocument: Document
  readonly partner: Partner
  readonly product: ParentProduct
  readonly productVersion: ProductVersion
  readonly quote: Quote
  readonly sample: Sample
  readonly order: Order
  readonly shipment: Shipment
}

/** A kind of document, such as packing list or certificate of origin. */
export interface DocumentType {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Domain. Known values: catalog, sourcing, orders, logistics, finance, compliance. */
  readonly domain: string
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Where the record stands. Known values: active, retired. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Document Types can be narrowed by. Filters combine. */
export interface DocumentTypeFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `domain` is exactly this. */
  readonly domain?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Document Types, by name. */
export interface DocumentTypeRelations {
}

/** A picture of a product, swatch, material or sample; its content is reached through a temporary address. */
export interface Image {
  /** Identity of the record. */
  readonly id: string
  /** What kind of record it is. Known values: product, swatch, material, sample, defect, packaging, logo, other. */
  readonly kind: string
  /** The product. Refers to parent-products. */
  readonly productId: string | null
  /** The product option. Refers to product-options. */
  readonly productOptionId: string | null
  /** The sku. Refers to skus. */
  readonly skuId: string | null
  /** Swatches: the option value shown. Refers to option-values. */
  readonly optionValueId: string | null
  /** The material. Refers to materials. */
  readonly materialId: string | null
  /** The material variant. Refers to material-variants. */
  readonly materialVariantId: string | null
  /** The sample round. Refers to sample-rounds. */
  readonly sampleRoundId: string | null
  /** Pictures of damage. Refers to goods-receipts. */
  readonly goodsReceiptId: string | null
  /** For a swatch, the swatchVersion of the option value it belongs to. */
  readonly version: number
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Is primary. */
  readonly isPrimary: boolean
  /** File name. */
  readonly fileName: string
  /** Mime type. */
  readonly mimeType: string
  /** Size bytes. */
  readonly sizeBytes: number
  /** Width px. */
  readonly widthPx: number | null
  /** Height px. */
  readonly heightPx: number | null
  /** Lower-case hexadecimal digest of the file. */
  readonly sha256: string | null
  /** Alt text. */
  readonly altText: string | null
  /** Uploaded by: a person. No resource is served for people. */
  readonly uploadedByUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** A temporary address the picture can be downloaded from, with the moment it stops working. */
export interface ImageContentLink {
  /** Temporary download address. It works without a key until expiresAt. */
  readonly url: string
  /** Expires at. UTC, to the millisecond. */
  readonly expiresAt: string
  /** { width, height } in pixels, or null where they are not known. */
  readonly extent: JsonValue
}

/** What lists of Images can be narrowed by. Filters combine. */
export interface ImageFilters {
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `productOptionId` is exactly this. */
  readonly productOptionId?: string | undefined
  /** Records whose `skuId` is exactly this. */
  readonly skuId?: string | undefined
  /** Records whose `optionValueId` is exactly this. */
  readonly optionValueId?: string | undefined
  /** Records whose `materialId` is exactly this. */
  readonly materialId?: string | undefined
  /** Records whose `materialVariantId` is exactly this. */
  readonly materialVariantId?: string | undefined
  /** Records whose `sampleRoundId` is exactly this. */
  readonly sampleRoundId?: string | undefined
  /** Records whose `goodsReceiptId` is exactly this. */
  readonly goodsReceiptId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `mimeType` is exactly this. */
  readonly mimeType?: string | undefined
}

/** What `include` can add to a record of Images, by name. */
export interface ImageRelations {
  readonly product: ParentProduct
  readonly productOption: ProductOption
  readonly sku: Sku
  readonly optionValue: OptionValue
  readonly material: Material
  readonly materialVariant: MaterialVariant
  readonly sampleRound: SampleRound
  readonly goodsReceipt: GoodsReceipt
}

/** A remark someone left on a record. */
export interface Note {
  /** Identity of the record. */
  readonly id: string
  /** The partner. Refers to partners. */
  readonly partnerId: string | null
  /** The supplier. Refers to suppliers. */
  readonly supplierId: string | null
  /** The product. Refers to parent-products. */
  readonly productId: string | null
  /** The material. Refers to materials. */
  readonly materialId: string | null
  /** The sample. Refers to samples. */
  readonly sampleId: string | null
  /** The order. Refers to orders. */
  readonly orderId: string | null
  /** The production run. Refers to production-runs. */
  readonly productionRunId: string | null
  /** The shipment. Refers to shipments. */
  readonly shipmentId: string | null
  /** The invoice. Refers to invoices. */
  readonly invoiceId: string | null
  /** Visibility. Known values: internal, shared. */
  readonly visibility: string
  /** Pinned. */
  readonly pinned: boolean
  /** Text of the message. */
  readonly body: string
  /** Author: a person. No resource is served for people. */
  readonly authorUserId: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Notes can be narrowed by. Filters combine. */
export interface NoteFilters {
  /** Records whose `partnerId` is exactly this. */
  readonly partnerId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `productId` is exactly this. */
  readonly productId?: string | undefined
  /** Records whose `materialId` is exactly this. */
  readonly materialId?: string | undefined
  /** Records whose `sampleId` is exactly this. */
  readonly sampleId?: string | undefined
  /** Records whose `orderId` is exactly this. */
  readonly orderId?: string | undefined
  /** Records whose `productionRunId` is exactly this. */
  readonly productionRunId?: string | undefined
  /** Records whose `shipmentId` is exactly this. */
  readonly shipmentId?: string | undefined
  /** Records whose `invoiceId` is exactly this. */
  readonly invoiceId?: string | undefined
  /** Records whose `visibility` is exactly this. */
  readonly visibility?: string | undefined
}

/** What `include` can add to a record of Notes, by name. */
export interface NoteRelations {
  readonly partner: Partner
  readonly supplier: Supplier
  readonly product: ParentProduct
  readonly material: Material
  readonly sample: Sample
  readonly order: Order
  readonly productionRun: ProductionRun
  readonly shipment: Shipment
  readonly invoice: Invoice
}

/** A fabric, trim, label or packaging item in the brand's library. */
export interface Material {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** What kind of record it is. Known values: fabric, lining, trim, thread, label, hardware, packaging, component. */
  readonly kind: string
  /** Where the record stands. Known values: development, approved, discontinued, rejected. */
  readonly status: string
  /** The category. Refers to categories. */
  readonly categoryId: string | null
  /** Usual source. Refers to suppliers. */
  readonly supplierId: string | null
  /** Unit it is bought in. Refers to units-of-measure. */
  readonly unitOfMeasureId: string | null
  /** Fibres, adding up to 100 percent. */
  readonly composition: readonly ({
    /** Fiber. */
    readonly fiber: string
    /** Percent. Decimal string: percent. */
    readonly percent: string
    /** Recycled. */
    readonly recycled: boolean
    /** Country of origin code. Code: ISO 3166-1 alpha-2. */
    readonly countryOfOriginCode: string | null
  })[] | null
  /** Weave, knit or build. */
  readonly construction: string | null
  /** Weight gsm. Decimal string: grams per square metre. */
  readonly weightGsm: string | null
  /** Width cm. Decimal string: centimetres. */
  readonly widthCm: string | null
  /** Country of origin code. Code: ISO 3166-1 alpha-2. */
  readonly countryOfOriginCode: string | null
  /** Hts code. Code: tariff code, 6 to 10 digits. */
  readonly htsCode: string | null
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string | null
  /** Unit price. Decimal string: price of one unit. Currency: currency. */
  readonly unitPrice: string | null
  /** Minimum order quantity. */
  readonly moq: number | null
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** Certifications. */
  readonly certifications: readonly string[] | null
  /** Object keyed by custom-field-definitions.key of entity materials. */
  readonly customFields: JsonValue
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Materials can be narrowed by. Filters combine. */
export interface MaterialFilters {
  /** Records whose `categoryId` is exactly this. */
  readonly categoryId?: string | undefined
  /** Records whose `supplierId` is exactly this. */
  readonly supplierId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Materials, by name. */
export interface MaterialRelations {
  readonly category: Category
  readonly supplier: Supplier
  readonly unitOfMeasure: UnitOfMeasure
}

/** A material in one colour or finish. */
export interface MaterialVariant {
  /** Identity of the record. */
  readonly id: string
  /** The material. Refers to materials. */
  readonly materialId: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** The color. Refers to colors. */
  readonly colorId: string | null
  /** Finish. */
  readonly finish: string | null
  /** The supplier's own number for it. */
  readonly supplierReference: string | null
  /** Where the record stands. Known values: requested, lab_dip, approved, discontinued, rejected. */
  readonly status: string
  /** Currency of the amounts of this record. Code: ISO 4217. */
  readonly currency: string | null
  /** Unit price. Decimal string: price of one unit. Currency: currency. */
  readonly unitPrice: string | null
  /** Minimum order quantity. */
  readonly moq: number | null
  /** Lead time days. */
  readonly leadTimeDays: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Material Variants can be narrowed by. Filters combine. */
export interface MaterialVariantFilters {
  /** Records whose `materialId` is exactly this. */
  readonly materialId?: string | undefined
  /** Records whose `colorId` is exactly this. */
  readonly colorId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `supplierReference` is exactly this. */
  readonly supplierReference?: string | undefined
}

/** What `include` can add to a record of Material Variants, by name. */
export interface MaterialVariantRelations {
  readonly material: Material
  readonly color: Color
}

/** A place in the brand's product or material classification. */
export interface Category {
  /** Identity of the record. */
  readonly id: string
  /** The parent category. Refers to categories. */
  readonly parentCategoryId: string | null
  /** What kind of record it is. Known values: product, material. */
  readonly kind: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** 1 at the top; one more than the parent's. */
  readonly level: number
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Default hts code. Code: tariff code, 6 to 10 digits. */
  readonly defaultHtsCode: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Categories can be narrowed by. Filters combine. */
export interface CategoryFilters {
  /** Records whose `parentCategoryId` is exactly this. */
  readonly parentCategoryId?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
}

/** What `include` can add to a record of Categories, by name. */
export interface CategoryRelations {
  readonly parentCategory: Category
}

/** A group of products shown together, usually a season or capsule. */
export interface Collection {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** For example SS27. */
  readonly season: string | null
  /** Description. */
  readonly description: string | null
  /** Where the record stands. Known values: planned, active, archived, cancelled. */
  readonly status: string
  /** Start date. Date, YYYY-MM-DD. */
  readonly startDate: string | null
  /** End date. Date, YYYY-MM-DD. */
  readonly endDate: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Collections can be narrowed by. Filters combine. */
export interface CollectionFilters {
  /** Records whose `id` is `collectionId` in a row of product-collections with this `productId`. */
  readonly productId?: string | undefined
  /** Records whose `id` is `collectionId` in a row of product-option-collections with this `productOptionId`. */
  readonly productOptionId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `season` is exactly this. */
  readonly season?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Collections, by name. */
export interface CollectionRelations {
}

/** A span of dates in which products reach the market. */
export interface LaunchWindow {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Start date. Date, YYYY-MM-DD. */
  readonly startDate: string
  /** End date. Date, YYYY-MM-DD. */
  readonly endDate: string
  /** Channel. Known values: all, online, retail, wholesale. */
  readonly channel: string | null
  /** Where the record stands. Known values: planned, open, closed, cancelled. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Launch Windows can be narrowed by. Filters combine. */
export interface LaunchWindowFilters {
  /** Records whose `id` is `launchWindowId` in a row of product-launch-windows with this `productId`. */
  readonly productId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `channel` is exactly this. */
  readonly channel?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Launch Windows, by name. */
export interface LaunchWindowRelations {
}

/** A free label put on products. */
export interface Tag {
  /** Identity of the record. */
  readonly id: string
  /** Name shown to people. */
  readonly name: string
  /** Short code of the record. */
  readonly code: string | null
  /** Colour the label is shown in. */
  readonly uiColor: string | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Tags can be narrowed by. Filters combine. */
export interface TagFilters {
  /** Records whose `id` is `tagId` in a row of product-tags with this `productId`. */
  readonly productId?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
}

/** What `include` can add to a record of Tags, by name. */
export interface TagRelations {
}

/** A colour of the brand's palette. */
export interface Color {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Six hexadecimal digits after a number sign. Code: colour as # and six hexadecimal digits. */
  readonly hexCode: string | null
  /** The colour system the reference belongs to. */
  readonly standardSystem: string | null
  /** The colour's number in that system. */
  readonly standardReference: string | null
  /** Family. Known values: black, white, grey, brown, red, orange, yellow, green, blue, purple, pink, multi. */
  readonly family: string | null
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Colors can be narrowed by. Filters combine. */
export interface ColorFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `family` is exactly this. */
  readonly family?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
  /** Records whose `standardReference` is exactly this. */
  readonly standardReference?: string | undefined
}

/** What `include` can add to a record of Colors, by name. */
export interface ColorRelations {
}

/** A way products vary that is chosen by design rather than by size, such as colour, wash or print. */
export interface Option {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Display kind. Known values: swatch, text, image. */
  readonly displayKind: string
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Options can be narrowed by. Filters combine. */
export interface OptionFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Options, by name. */
export interface OptionRelations {
}

/** One value of an option, such as indigo for colour. */
export interface OptionValue {
  /** Identity of the record. */
  readonly id: string
  /** The option. Refers to options. */
  readonly optionId: string
  /** Name shown to people. */
  readonly name: string
  /** Short code of the record. */
  readonly code: string | null
  /** Open list: the contract gives no values. Known values: draft, active, archived. */
  readonly status: string
  /** Hex code. Code: colour as # and six hexadecimal digits. */
  readonly hexCode: string | null
  /** Place in the order shown to people. */
  readonly sequence: number | null
  /** Raised each time the swatch picture changes. */
  readonly swatchVersion: number | null
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Option Values can be narrowed by. Filters combine. */
export interface OptionValueFilters {
  /** Records whose `optionId` is exactly this. */
  readonly optionId?: string | undefined
  /** Records whose `id` is `optionValueId` in a row of product-option-values with this `productOptionId`. */
  readonly productOptionId?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Option Values, by name. */
export interface OptionValueRelations {
  readonly option: Option
}

/** A way products are sized, such as size, inseam or cup. */
export interface Dimension {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** When its values are figures. Refers to units-of-measure. */
  readonly unitOfMeasureId: string | null
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Dimensions can be narrowed by. Filters combine. */
export interface DimensionFilters {
  /** Records whose `id` is `dimensionId` in a row of dimension-group-dimensions with this `dimensionGroupId`. */
  readonly dimensionGroupId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Dimensions, by name. */
export interface DimensionRelations {
  readonly unitOfMeasure: UnitOfMeasure
}

/** One value of a dimension, such as M or 32. */
export interface DimensionValue {
  /** Identity of the record. */
  readonly id: string
  /** The dimension. Refers to dimensions. */
  readonly dimensionId: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Numeric value. Decimal string: quantity. */
  readonly numericValue: string | null
  /** Order from small to large. */
  readonly sequence: number
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Dimension Values can be narrowed by. Filters combine. */
export interface DimensionValueFilters {
  /** Records whose `dimensionId` is exactly this. */
  readonly dimensionId?: string | undefined
  /** Records whose `id` is `dimensionValueId` in a row of product-option-dimension-values with this `productOptionId`. */
  readonly productOptionId?: string | undefined
  /** Records whose `id` is `dimensionValueId` in a row of sku-dimension-values with this `skuId`. */
  readonly skuId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Dimension Values, by name. */
export interface DimensionValueRelations {
  readonly dimension: Dimension
}

/** A size system: the dimensions a kind of product is sized by. */
export interface DimensionGroup {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Description. */
  readonly description: string | null
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Dimension Groups can be narrowed by. Filters combine. */
export interface DimensionGroupFilters {
  /** Records whose `id` is `dimensionGroupId` in a row of dimension-group-dimensions with this `dimensionId`. */
  readonly dimensionId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Dimension Groups, by name. */
export interface DimensionGroupRelations {
}

/** Says that a dimension is part of a dimension group, and in which place. */
export interface DimensionGroupDimension {
  /** The dimension group. Refers to dimension-groups. */
  readonly dimensionGroupId: string
  /** The dimension. Refers to dimensions. */
  readonly dimensionId: string
  /** Place in the order shown to people. */
  readonly sequence: number
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
}

/** What lists of Dimension Group Dimensions can be narrowed by. Filters combine. */
export interface DimensionGroupDimensionFilters {
  /** Records whose `dimensionGroupId` is exactly this. */
  readonly dimensionGroupId?: string | undefined
  /** Records whose `dimensionId` is exactly this. */
  readonly dimensionId?: string | undefined
}

/** What `include` can add to a record of Dimension Group Dimensions, by name. */
export interface DimensionGroupDimensionRelations {
  readonly dimensionGroup: DimensionGroup
  readonly dimension: Dimension
}

/** How a quantity is spread over sizes: a size curve in percent, or a prepack in pieces. */
export interface DimensionCurve {
  /** Identity of the record. */
  readonly id: string
  /** The dimension group. Refers to dimension-groups. */
  readonly dimensionGroupId: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** What kind of record it is. Known values: size_curve, prepack. */
  readonly kind: string
  /** Prepacks: pieces in one pack, the sum of the cells' units. */
  readonly totalUnits: number | null
  /** Where the record stands. Known values: draft, active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Dimension Curves can be narrowed by. Filters combine. */
export interface DimensionCurveFilters {
  /** Records whose `dimensionGroupId` is exactly this. */
  readonly dimensionGroupId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Dimension Curves, by name. */
export interface DimensionCurveRelations {
  readonly dimensionGroup: DimensionGroup
}

/** One dimension that a curve runs over. */
export interface DimensionCurveAxis {
  /** Identity of the record. */
  readonly id: string
  /** The curve. Refers to dimension-curves. */
  readonly curveId: string
  /** The dimension. Refers to dimensions. */
  readonly dimensionId: string
  /** 1 = rows, 2 = columns. */
  readonly sequence: number
}

/** What lists of Dimension Curve Axes can be narrowed by. Filters combine. */
export interface DimensionCurveAxisFilters {
  /** Records whose `curveId` is exactly this. */
  readonly curveId?: string | undefined
  /** Records whose `dimensionId` is exactly this. */
  readonly dimensionId?: string | undefined
}

/** What `include` can add to a record of Dimension Curve Axes, by name. */
export interface DimensionCurveAxisRelations {
  readonly curve: DimensionCurve
  readonly dimension: Dimension
}

/** One dimension value on an axis of a curve. */
export interface DimensionCurveAxisValue {
  /** Identity of the record. */
  readonly id: string
  /** The axis. Refers to dimension-curve-axes. */
  readonly axisId: string
  /** The dimension value. Refers to dimension-values. */
  readonly dimensionValueId: string
  /** Place in the order shown to people. */
  readonly sequence: number
}

/** What lists of Dimension Curve Axis Values can be narrowed by. Filters combine. */
export interface DimensionCurveAxisValueFilters {
  /** Records whose `axisId` is exactly this. */
  readonly axisId?: string | undefined
  /** Records whose `dimensionValueId` is exactly this. */
  readonly dimensionValueId?: string | undefined
}

/** What `include` can add to a record of Dimension Curve Axis Values, by name. */
export interface DimensionCurveAxisValueRelations {
  readonly axis: DimensionCurveAxis
  readonly dimensionValue: DimensionValue
}

/** The share or number of pieces a curve gives to one size combination. */
export interface DimensionCurveCell {
  /** Identity of the record. */
  readonly id: string
  /** The curve. Refers to dimension-curves. */
  readonly curveId: string
  /** A value of the axis with sequence 1. Refers to dimension-curve-axis-values. */
  readonly rowAxisValueId: string
  /** A value of the axis with sequence 2; null on a curve with one axis. Refers to dimension-curve-axis-values. */
  readonly columnAxisValueId: string | null
  /** Size curves; the cells of a curve add up to 100. Decimal string: percent. */
  readonly sharePercent: string | null
  /** Prepacks: pieces per pack. */
  readonly units: number | null
}

/** What lists of Dimension Curve Cells can be narrowed by. Filters combine. */
export interface DimensionCurveCellFilters {
  /** Records whose `curveId` is exactly this. */
  readonly curveId?: string | undefined
  /** Records whose `rowAxisValueId` is exactly this. */
  readonly rowAxisValueId?: string | undefined
  /** Records whose `columnAxisValueId` is exactly this. */
  readonly columnAxisValueId?: string | undefined
}

/** What `include` can add to a record of Dimension Curve Cells, by name. */
export interface DimensionCurveCellRelations {
  readonly curve: DimensionCurve
  readonly rowAxisValue: DimensionCurveAxisValue
  readonly columnAxisValue: DimensionCurveAxisValue
}

/** A list of checks that samples are put through. */
export interface Checklist {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** What kind of record it is. Known values: fit, workmanship, materials, packing, compliance. */
  readonly kind: string
  /** Version. */
  readonly version: number
  /** Where the record stands. Known values: draft, active, retired. */
  readonly status: string
  /** Items. */
  readonly items: readonly ({
    /** Stable key, used by results. */
    readonly key: string
    /** Label. */
    readonly label: string
    /** Guidance. */
    readonly guidance: string | null
    /** Required. */
    readonly required: boolean
    /** Place in the order shown to people. */
    readonly sequence: number
  })[]
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Checklists can be narrowed by. Filters combine. */
export interface ChecklistFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Checklists, by name. */
export interface ChecklistRelations {
}

/** How goods are to be packed: pieces per bag and carton, carton size, size ratio. */
export interface PackingTemplate {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Method. Known values: solid_color_solid_size, solid_color_assorted_size, assorted_color_solid_size, assorted_color_assorted_size. */
  readonly method: string
  /** The carton size. Refers to carton-sizes. */
  readonly cartonSizeId: string | null
  /** Assorted packs: the prepack ratio. Refers to dimension-curves. */
  readonly dimensionCurveId: string | null
  /** Units per inner pack. */
  readonly unitsPerInnerPack: number | null
  /** Inner packs per carton. */
  readonly innerPacksPerCarton: number | null
  /** Units per carton. */
  readonly unitsPerCarton: number | null
  /** Max gross weight kg. Decimal string: kilograms. */
  readonly maxGrossWeightKg: string | null
  /** Instructions. */
  readonly instructions: string | null
  /** Where the record stands. Known values: draft, active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Packing Templates can be narrowed by. Filters combine. */
export interface PackingTemplateFilters {
  /** Records whose `cartonSizeId` is exactly this. */
  readonly cartonSizeId?: string | undefined
  /** Records whose `dimensionCurveId` is exactly this. */
  readonly dimensionCurveId?: string | undefined
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `method` is exactly this. */
  readonly method?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Packing Templates, by name. */
export interface PackingTemplateRelations {
  readonly cartonSize: CartonSize
  readonly dimensionCurve: DimensionCurve
}

/** A standard carton. */
export interface CartonSize {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Length cm. Decimal string: centimetres. */
  readonly lengthCm: string
  /** Width cm. Decimal string: centimetres. */
  readonly widthCm: string
  /** Height cm. Decimal string: centimetres. */
  readonly heightCm: string
  /** lengthCm x widthCm x heightCm / 1,000,000. Decimal string: cubic metres. */
  readonly volumeCbm: string
  /** Tare weight kg. Decimal string: kilograms. */
  readonly tareWeightKg: string | null
  /** Max gross weight kg. Decimal string: kilograms. */
  readonly maxGrossWeightKg: string | null
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Carton Sizes can be narrowed by. Filters combine. */
export interface CartonSizeFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Carton Sizes, by name. */
export interface CartonSizeRelations {
}

/** A carrier: shipping line, airline, haulier, railway or parcel service. */
export interface Courier {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** What kind of record it is. Known values: ocean, air, road, rail, parcel, postal. */
  readonly kind: string
  /** Standard carrier alpha code: two to four letters. */
  readonly scacCode: string | null
  /** Airlines: two-character designator. */
  readonly iataCode: string | null
  /** Address with {trackingNumber} in it. */
  readonly trackingUrlTemplate: string | null
  /** Website. */
  readonly website: string | null
  /** Where the record stands. Known values: active, retired. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Couriers can be narrowed by. Filters combine. */
export interface CourierFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `kind` is exactly this. */
  readonly kind?: string | undefined
  /** Records whose `scacCode` is exactly this. */
  readonly scacCode?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Couriers, by name. */
export interface CourierRelations {
}

/** A standard way of paying: the instalments and the events they follow. */
export interface PaymentTerm {
  /** Identity of the record. */
  readonly id: string
  /** Short code of the record. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Description. */
  readonly description: string | null
  /** Days after the invoice date, for a single payment. */
  readonly netDays: number | null
  /** Adding up to 100 percent. */
  readonly installments: readonly ({
    /** Place in the order shown to people. */
    readonly sequence: number
    /** Name shown to people. */
    readonly name: string
    /** Percent. Decimal string: percent. */
    readonly percent: string
    /** Trigger. Known values: order_confirmed, production_started, ex_factory, bill_of_lading, arrival, goods_received, invoice_date, fixed_date. */
    readonly trigger: string
    /** Offset days. */
    readonly offsetDays: number
  })[]
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Payment Terms can be narrowed by. Filters combine. */
export interface PaymentTermFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Payment Terms, by name. */
export interface PaymentTermRelations {
}

/** A unit that quantities, lengths, weights and volumes are given in. */
export interface UnitOfMeasure {
  /** Identity of the record. */
  readonly id: string
  /** For example a UN/CEFACT Recommendation 20 code. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
  /** Open list: the contract gives no values. Known values: count, length, area, volume, weight, time. */
  readonly type: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
}

/** What lists of Units Of Measure can be narrowed by. Filters combine. */
export interface UnitOfMeasureFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
  /** Records whose `type` is exactly this. */
  readonly type?: string | undefined
}

/** What `include` can add to a record of Units Of Measure, by name. */
export interface UnitOfMeasureRelations {
}

/** A country and its two-letter code. */
export interface Country {
  /** ISO 3166-1 alpha-2, upper case. Code: ISO 3166-1 alpha-2. */
  readonly code: string
  /** Name shown to people. */
  readonly name: string
}

/** What lists of Countries can be narrowed by. Filters combine. */
export interface CountryFilters {
  /** Records whose `code` is exactly this. */
  readonly code?: string | undefined
  /** Records whose `name` is exactly this. */
  readonly name?: string | undefined
}

/** What `include` can add to a record of Countries, by name. */
export interface CountryRelations {
}

/** A field the brand added to one kind of record; its values are in that record's customFields. */
export interface CustomFieldDefinition {
  /** Identity of the record. */
  readonly id: string
  /** Path of the collection; for partners the values are in relationship.customFields. Known values: partners, suppliers, parent-products, skus, materials, orders, shipments. */
  readonly entity: string
  /** Property name inside customFields. */
  readonly key: string
  /** Label. */
  readonly label: string
  /** Data type. Known values: text, number, boolean, date, choice, multi_choice, url. */
  readonly dataType: string
  /** For choice and multi_choice. */
  readonly choices: readonly string[] | null
  /** Required. */
  readonly required: boolean
  /** Place in the order shown to people. */
  readonly sequence: number
  /** Help text. */
  readonly helpText: string | null
  /** Default value. */
  readonly defaultValue: JsonValue
  /** Where the record stands. Known values: active, archived. */
  readonly status: string
  /** When the record was created. UTC, to the millisecond. */
  readonly createdAt: string
  /** When the record was last changed. UTC, to the millisecond. */
  readonly updatedAt: string
  /** When the record was removed; it stays readable and counted. Null while it is in use. UTC, to the millisecond. */
  readonly deletedAt: string | null
}

/** What lists of Custom Field Definitions can be narrowed by. Filters combine. */
export interface CustomFieldDefinitionFilters {
  /** Records whose `entity` is exactly this. */
  readonly entity?: string | undefined
  /** Records whose `key` is exactly this. */
  readonly key?: string | undefined
  /** Records whose `dataType` is exactly this. */
  readonly dataType?: string | undefined
  /** Records whose `status` is exactly this. */
  readonly status?: string | undefined
}

/** What `include` can add to a record of Custom Field Definitions, by name. */
export interface CustomFieldDefinitionRelations {
}
