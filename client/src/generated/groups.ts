// Made from the contract by tools/generate.ts. Do not edit: run npm run generate.

import type { Contents, Gets, Lists } from '../group.ts'
import type * as r from './records.ts'

export const basePath = '/api/public/v1'

/** What can be asked of each group, by its path. */
export const groups: { readonly [path: string]: string } = {
  'parent-products': 'list get',
  'product-options': 'list get',
  'skus': 'list get',
  'product-versions': 'list get',
  'boms': 'list get',
  'bom-components': 'list get',
  'bom-skus': 'list',
  'bom-sections': 'list get',
  'measurement-tables': 'list get',
  'measurement-table-skus': 'list',
  'product-relations': 'list',
  'product-option-values': 'list',
  'product-option-dimension-values': 'list',
  'product-option-prices': 'list',
  'product-option-collections': 'list',
  'sku-dimension-values': 'list',
  'product-collections': 'list',
  'product-tags': 'list',
  'product-launch-windows': 'list',
  'suppliers': 'list get',
  'quotes': 'list get',
  'quote-revisions': 'list get',
  'quote-items': 'list get',
  'quote-price-bands': 'list get',
  'quote-notes': 'list get',
  'samples': 'list get',
  'sample-rounds': 'list get',
  'sample-checklist-results': 'list get',
  'orders': 'list get',
  'order-items': 'list get',
  'order-amendments': 'list get',
  'production-runs': 'list get',
  'production-run-items': 'list get',
  'production-run-item-revisions': 'list get',
  'shipments': 'list get',
  'shipment-items': 'list get',
  'shipment-cartons': 'list get',
  'shipment-carton-items': 'list get',
  'shipment-charges': 'list get',
  'order-shipments': 'list',
  'legs': 'list get',
  'leg-items': 'list get',
  'bookings': 'list get',
  'booking-items': 'list get',
  'shipment-bookings': 'list',
  'shipment-item-lineages': 'list get',
  'packing-lists': 'list get',
  'packing-list-lines': 'list get',
  'goods-receipts': 'list get',
  'goods-receipt-lines': 'list get',
  'inventory': 'list get',
  'invoices': 'list get',
  'invoice-lines': 'list get',
  'payment-agreements': 'list get',
  'payment-milestones': 'list get',
  'payments': 'list get',
  'payment-settlements': 'list get',
  'payment-receipts': 'list get',
  'partners': 'list get',
  'contacts': 'list get',
  'locations': 'list get',
  'brand-locations': 'list get',
  'partner-locations': 'list get',
  'documents': 'list get',
  'document-types': 'list get',
  'images': 'list get content',
  'notes': 'list get',
  'materials': 'list get',
  'material-variants': 'list get',
  'categories': 'list get',
  'collections': 'list get',
  'launch-windows': 'list get',
  'tags': 'list get',
  'colors': 'list get',
  'options': 'list get',
  'option-values': 'list get',
  'dimensions': 'list get',
  'dimension-values': 'list get',
  'dimension-groups': 'list get',
  'dimension-group-dimensions': 'list',
  'dimension-curves': 'list get',
  'dimension-curve-axes': 'list get',
  'dimension-curve-axis-values': 'list get',
  'dimension-curve-cells': 'list get',
  'checklists': 'list get',
  'packing-templates': 'list get',
  'carton-sizes': 'list get',
  'couriers': 'list get',
  'payment-terms': 'list get',
  'units-of-measure': 'list get',
  'countries': 'list get',
  'custom-field-definitions': 'list get',
}

export interface Groups {
  /** A style: the product as designed, before colourways and sizes. */
  readonly parentProducts: Lists<r.ParentProduct, r.ParentProductFilters, r.ParentProductRelations> & Gets<r.ParentProduct, r.ParentProductRelations>
  /** One variation of a style that is bought as such, typically a colourway: a combination of option values. */
  readonly productOptions: Lists<r.ProductOption, r.ProductOptionFilters, r.ProductOptionRelations> & Gets<r.ProductOption, r.ProductOptionRelations>
  /** A stock-keeping unit: one product option in one combination of dimension values. */
  readonly skus: Lists<r.Sku, r.SkuFilters, r.SkuRelations> & Gets<r.Sku, r.SkuRelations>
  /** A numbered state of a product's specification (bill of materials, measurements, tech pack) that orders refer to. */
  readonly productVersions: Lists<r.ProductVersion, r.ProductVersionFilters, r.ProductVersionRelations> & Gets<r.ProductVersion, r.ProductVersionRelations>
  /** A bill of materials of a product version. */
  readonly boms: Lists<r.Bom, r.BomFilters, r.BomRelations> & Gets<r.Bom, r.BomRelations>
  /** One line of a bill of materials: a material, where it goes and how much of it one unit takes. */
  readonly bomComponents: Lists<r.BomComponent, r.BomComponentFilters, r.BomComponentRelations> & Gets<r.BomComponent, r.BomComponentRelations>
  /** Says that a bill of materials applies to a SKU. */
  readonly bomSkus: Lists<r.BomSku, r.BomSkuFilters, r.BomSkuRelations>
  /** A heading that bill-of-materials lines are grouped under, such as fabric, trims or packaging. */
  readonly bomSections: Lists<r.BomSection, r.BomSectionFilters, r.BomSectionRelations> & Gets<r.BomSection, r.BomSectionRelations>
  /** The points of measure of a product version with their base values, grade steps and tolerances. */
  readonly measurementTables: Lists<r.MeasurementTable, r.MeasurementTableFilters, r.MeasurementTableRelations> & Gets<r.MeasurementTable, r.MeasurementTableRelations>
  /** The graded values of a measurement table for one SKU. */
  readonly measurementTableSkus: Lists<r.MeasurementTableSku, r.MeasurementTableSkuFilters, r.MeasurementTableSkuRelations>
  /** A directed link between two styles, such as a carry-over or a part of a set. */
  readonly productRelations: Lists<r.ProductRelation, r.ProductRelationFilters, r.ProductRelationRelations>
  /** One option value that makes up a product option. */
  readonly productOptionValues: Lists<r.ProductOptionValue, r.ProductOptionValueFilters, r.ProductOptionValueRelations>
  /** A dimension value (a size) that a product option is offered in. */
  readonly productOptionDimensionValues: Lists<r.ProductOptionDimensionValue, r.ProductOptionDimensionValueFilters, r.ProductOptionDimensionValueRelations>
  /** A price of a product option, one per kind and currency. */
  readonly productOptionPrices: Lists<r.ProductOptionPrice, r.ProductOptionPriceFilters, r.ProductOptionPriceRelations>
  /** Says that a product option belongs to a collection. */
  readonly productOptionCollections: Lists<r.ProductOptionCollection, r.ProductOptionCollectionFilters, r.ProductOptionCollectionRelations>
  /** One dimension value of a SKU; a SKU has one for each dimension of its product's dimension group. */
  readonly skuDimensionValues: Lists<r.SkuDimensionValue, r.SkuDimensionValueFilters, r.SkuDimensionValueRelations>
  /** Says that a product belongs to a collection. */
  readonly productCollections: Lists<r.ProductCollection, r.ProductCollectionFilters, r.ProductCollectionRelations>
  /** Says that a product carries a tag. */
  readonly productTags: Lists<r.ProductTag, r.ProductTagFilters, r.ProductTagRelations>
  /** Says that a product is planned for a launch window. */
  readonly productLaunchWindows: Lists<r.ProductLaunchWindow, r.ProductLaunchWindowFilters, r.ProductLaunchWindowRelations>
  /** The brand's vendor account with a partner it buys from. */
  readonly suppliers: Lists<r.Supplier, r.SupplierFilters, r.SupplierRelations> & Gets<r.Supplier, r.SupplierRelations>
  /** A request for a price sent to one supplier, and the negotiation that follows. */
  readonly quotes: Lists<r.Quote, r.QuoteFilters, r.QuoteRelations> & Gets<r.Quote, r.QuoteRelations>
  /** One complete offer within a quote; a counter-offer is a new revision. */
  readonly quoteRevisions: Lists<r.QuoteRevision, r.QuoteRevisionFilters, r.QuoteRevisionRelations> & Gets<r.QuoteRevision, r.QuoteRevisionRelations>
  /** One priced line of a quote revision. */
  readonly quoteItems: Lists<r.QuoteItem, r.QuoteItemFilters, r.QuoteItemRelations> & Gets<r.QuoteItem, r.QuoteItemRelations>
  /** The unit price of a quote item for a range of quantities. */
  readonly quotePriceBands: Lists<r.QuotePriceBand, r.QuotePriceBandFilters, r.QuotePriceBandRelations> & Gets<r.QuotePriceBand, r.QuotePriceBandRelations>
  /** A message in the negotiation of a quote. */
  readonly quoteNotes: Lists<r.QuoteNote, r.QuoteNoteFilters, r.QuoteNoteRelations> & Gets<r.QuoteNote, r.QuoteNoteRelations>
  /** A sample asked of a supplier for one purpose, made in one or more rounds. */
  readonly samples: Lists<r.Sample, r.SampleFilters, r.SampleRelations> & Gets<r.Sample, r.SampleRelations>
  /** One making and review of a sample. */
  readonly sampleRounds: Lists<r.SampleRound, r.SampleRoundFilters, r.SampleRoundRelations> & Gets<r.SampleRound, r.SampleRoundRelations>
  /** The outcome of one checklist item for one sample round. */
  readonly sampleChecklistResults: Lists<r.SampleChecklistResult, r.SampleChecklistResultFilters, r.SampleChecklistResultRelations> & Gets<r.SampleChecklistResult, r.SampleChecklistResultRelations>
  /** A purchase order the brand places with a supplier. */
  readonly orders: Lists<r.Order, r.OrderFilters, r.OrderRelations> & Gets<r.Order, r.OrderRelations>
  /** One line of an order. */
  readonly orderItems: Lists<r.OrderItem, r.OrderItemFilters, r.OrderItemRelations> & Gets<r.OrderItem, r.OrderItemRelations>
  /** A proposed or applied change to an order after it was placed. */
  readonly orderAmendments: Lists<r.OrderAmendment, r.OrderAmendmentFilters, r.OrderAmendmentRelations> & Gets<r.OrderAmendment, r.OrderAmendmentRelations>
  /** A batch of an order's goods made and released together. */
  readonly productionRuns: Lists<r.ProductionRun, r.ProductionRunFilters, r.ProductionRunRelations> & Gets<r.ProductionRun, r.ProductionRunRelations>
  /** The quantity of one order item in a production run. */
  readonly productionRunItems: Lists<r.ProductionRunItem, r.ProductionRunItemFilters, r.ProductionRunItemRelations> & Gets<r.ProductionRunItem, r.ProductionRunItemRelations>
  /** One change of the quantity of a production run item; never edited afterwards. */
  readonly productionRunItemRevisions: Lists<r.ProductionRunItemRevision, r.ProductionRunItemRevisionFilters, r.ProductionRunItemRevisionRelations> & Gets<r.ProductionRunItemRevision, r.ProductionRunItemRevisionRelations>
  /** Goods moving together from one place to another under one set of papers. */
  readonly shipments: Lists<r.Shipment, r.ShipmentFilters, r.ShipmentRelations> & Gets<r.Shipment, r.ShipmentRelations>
  /** A quantity of one order item on a shipment. */
  readonly shipmentItems: Lists<r.ShipmentItem, r.ShipmentItemFilters, r.ShipmentItemRelations> & Gets<r.ShipmentItem, r.ShipmentItemRelations>
  /** One carton of a shipment. */
  readonly shipmentCartons: Lists<r.ShipmentCarton, r.ShipmentCartonFilters, r.ShipmentCartonRelations> & Gets<r.ShipmentCarton, r.ShipmentCartonRelations>
  /** The quantity of one shipment item packed in a carton. */
  readonly shipmentCartonItems: Lists<r.ShipmentCartonItem, r.ShipmentCartonItemFilters, r.ShipmentCartonItemRelations> & Gets<r.ShipmentCartonItem, r.ShipmentCartonItemRelations>
  /** A cost of moving or clearing a shipment. */
  readonly shipmentCharges: Lists<r.ShipmentCharge, r.ShipmentChargeFilters, r.ShipmentChargeRelations> & Gets<r.ShipmentCharge, r.ShipmentChargeRelations>
  /** Says that a shipment carries goods of an order. */
  readonly orderShipments: Lists<r.OrderShipment, r.OrderShipmentFilters, r.OrderShipmentRelations>
  /** One movement of a shipment between two places by one means of transport. */
  readonly legs: Lists<r.Leg, r.LegFilters, r.LegRelations> & Gets<r.Leg, r.LegRelations>
  /** The quantity of one shipment item carried on a leg. */
  readonly legItems: Lists<r.LegItem, r.LegItemFilters, r.LegItemRelations> & Gets<r.LegItem, r.LegItemRelations>
  /** Space asked for and confirmed with a forwarder or carrier. */
  readonly bookings: Lists<r.Booking, r.BookingFilters, r.BookingRelations> & Gets<r.Booking, r.BookingRelations>
  /** The quantity of one order item a booking is made for. */
  readonly bookingItems: Lists<r.BookingItem, r.BookingItemFilters, r.BookingItemRelations> & Gets<r.BookingItem, r.BookingItemRelations>
  /** Says that a shipment travels on a booking. */
  readonly shipmentBookings: Lists<r.ShipmentBooking, r.ShipmentBookingFilters, r.ShipmentBookingRelations>
  /** Says that a quantity of one shipment item became part of another, when goods are split, merged or forwarded. */
  readonly shipmentItemLineages: Lists<r.ShipmentItemLineage, r.ShipmentItemLineageFilters, r.ShipmentItemLineageRelations> & Gets<r.ShipmentItemLineage, r.ShipmentItemLineageRelations>
  /** A packing list as stated by its document, with the totals it declares. */
  readonly packingLists: Lists<r.PackingList, r.PackingListFilters, r.PackingListRelations> & Gets<r.PackingList, r.PackingListRelations>
  /** One line of a packing list as stated, matched to the order and shipment where possible. */
  readonly packingListLines: Lists<r.PackingListLine, r.PackingListLineFilters, r.PackingListLineRelations> & Gets<r.PackingListLine, r.PackingListLineRelations>
  /** The arrival of goods at a location of the brand, as counted there. */
  readonly goodsReceipts: Lists<r.GoodsReceipt, r.GoodsReceiptFilters, r.GoodsReceiptRelations> & Gets<r.GoodsReceipt, r.GoodsReceiptRelations>
  /** The count of one SKU in a goods receipt. */
  readonly goodsReceiptLines: Lists<r.GoodsReceiptLine, r.GoodsReceiptLineFilters, r.GoodsReceiptLineRelations> & Gets<r.GoodsReceiptLine, r.GoodsReceiptLineRelations>
  /** The stock of one SKU at one location. */
  readonly inventory: Lists<r.InventoryLevel, r.InventoryLevelFilters, r.InventoryLevelRelations> & Gets<r.InventoryLevel, r.InventoryLevelRelations>
  /** An invoice or credit note the brand received. */
  readonly invoices: Lists<r.Invoice, r.InvoiceFilters, r.InvoiceRelations> & Gets<r.Invoice, r.InvoiceRelations>
  /** One line of an invoice. */
  readonly invoiceLines: Lists<r.InvoiceLine, r.InvoiceLineFilters, r.InvoiceLineRelations> & Gets<r.InvoiceLine, r.InvoiceLineRelations>
  /** How one order, or one partner's work, will be paid: the terms agreed and their schedule. */
  readonly paymentAgreements: Lists<r.PaymentAgreement, r.PaymentAgreementFilters, r.PaymentAgreementRelations> & Gets<r.PaymentAgreement, r.PaymentAgreementRelations>
  /** One instalment of a payment agreement and the event that makes it due. */
  readonly paymentMilestones: Lists<r.PaymentMilestone, r.PaymentMilestoneFilters, r.PaymentMilestoneRelations> & Gets<r.PaymentMilestone, r.PaymentMilestoneRelations>
  /** A sum of money sent to, or returned by, a partner. */
  readonly payments: Lists<r.Payment, r.PaymentFilters, r.PaymentRelations> & Gets<r.Payment, r.PaymentRelations>
  /** The part of a payment that pays one invoice or one milestone. */
  readonly paymentSettlements: Lists<r.PaymentSettlement, r.PaymentSettlementFilters, r.PaymentSettlementRelations> & Gets<r.PaymentSettlement, r.PaymentSettlementRelations>
  /** Proof that a payment arrived: the payee's or the bank's confirmation. */
  readonly paymentReceipts: Lists<r.PaymentReceipt, r.PaymentReceiptFilters, r.PaymentReceiptRelations> & Gets<r.PaymentReceipt, r.PaymentReceiptRelations>
  /** A company the brand works with (factory, mill, agent, forwarder, laboratory), with the brand's own relationship to it. */
  readonly partners: Lists<r.Partner, r.PartnerFilters, r.PartnerRelations> & Gets<r.Partner, r.PartnerRelations>
  /** A person at a partner, as the brand knows them. */
  readonly contacts: Lists<r.Contact, r.ContactFilters, r.ContactRelations> & Gets<r.Contact, r.ContactRelations>
  /** A place goods are made at, move through or are kept in: factory, warehouse, port, airport, office, shop. */
  readonly locations: Lists<r.Location, r.LocationFilters, r.LocationRelations> & Gets<r.Location, r.LocationRelations>
  /** The use the brand makes of a location: its warehouse, its port of entry, its office. */
  readonly brandLocations: Lists<r.BrandLocation, r.BrandLocationFilters, r.BrandLocationRelations> & Gets<r.BrandLocation, r.BrandLocationRelations>
  /** A site of a partner and what it is used for. */
  readonly partnerLocations: Lists<r.PartnerLocation, r.PartnerLocationFilters, r.PartnerLocationRelations> & Gets<r.PartnerLocation, r.PartnerLocationRelations>
  /** A file kept with the brand's records: tech pack, commercial invoice, bill of lading, certificate. */
  readonly documents: Lists<r.Document, r.DocumentFilters, r.DocumentRelations> & Gets<r.Document, r.DocumentRelations>
  /** A kind of document, such as packing list or certificate of origin. */
  readonly documentTypes: Lists<r.DocumentType, r.DocumentTypeFilters, r.DocumentTypeRelations> & Gets<r.DocumentType, r.DocumentTypeRelations>
  /** A picture of a product, swatch, material or sample; its content is reached through a temporary address. */
  readonly images: Lists<r.Image, r.ImageFilters, r.ImageRelations> & Gets<r.Image, r.ImageRelations> & Contents<r.ImageContentLink>
  /** A remark someone left on a record. */
  readonly notes: Lists<r.Note, r.NoteFilters, r.NoteRelations> & Gets<r.Note, r.NoteRelations>
  /** A fabric, trim, label or packaging item in the brand's library. */
  readonly materials: Lists<r.Material, r.MaterialFilters, r.MaterialRelations> & Gets<r.Material, r.MaterialRelations>
  /** A material in one colour or finish. */
  readonly materialVariants: Lists<r.MaterialVariant, r.MaterialVariantFilters, r.MaterialVariantRelations> & Gets<r.MaterialVariant, r.MaterialVariantRelations>
  /** A place in the brand's product or material classification. */
  readonly categories: Lists<r.Category, r.CategoryFilters, r.CategoryRelations> & Gets<r.Category, r.CategoryRelations>
  /** A group of products shown together, usually a season or capsule. */
  readonly collections: Lists<r.Collection, r.CollectionFilters, r.CollectionRelations> & Gets<r.Collection, r.CollectionRelations>
  /** A span of dates in which products reach the market. */
  readonly launchWindows: Lists<r.LaunchWindow, r.LaunchWindowFilters, r.LaunchWindowRelations> & Gets<r.LaunchWindow, r.LaunchWindowRelations>
  /** A free label put on products. */
  readonly tags: Lists<r.Tag, r.TagFilters, r.TagRelations> & Gets<r.Tag, r.TagRelations>
  /** A colour of the brand's palette. */
  readonly colors: Lists<r.Color, r.ColorFilters, r.ColorRelations> & Gets<r.Color, r.ColorRelations>
  /** A way products vary that is chosen by design rather than by size, such as colour, wash or print. */
  readonly options: Lists<r.Option, r.OptionFilters, r.OptionRelations> & Gets<r.Option, r.OptionRelations>
  /** One value of an option, such as indigo for colour. */
  readonly optionValues: Lists<r.OptionValue, r.OptionValueFilters, r.OptionValueRelations> & Gets<r.OptionValue, r.OptionValueRelations>
  /** A way products are sized, such as size, inseam or cup. */
  readonly dimensions: Lists<r.Dimension, r.DimensionFilters, r.DimensionRelations> & Gets<r.Dimension, r.DimensionRelations>
  /** One value of a dimension, such as M or 32. */
  readonly dimensionValues: Lists<r.DimensionValue, r.DimensionValueFilters, r.DimensionValueRelations> & Gets<r.DimensionValue, r.DimensionValueRelations>
  /** A size system: the dimensions a kind of product is sized by. */
  readonly dimensionGroups: Lists<r.DimensionGroup, r.DimensionGroupFilters, r.DimensionGroupRelations> & Gets<r.DimensionGroup, r.DimensionGroupRelations>
  /** Says that a dimension is part of a dimension group, and in which place. */
  readonly dimensionGroupDimensions: Lists<r.DimensionGroupDimension, r.DimensionGroupDimensionFilters, r.DimensionGroupDimensionRelations>
  /** How a quantity is spread over sizes: a size curve in percent, or a prepack in pieces. */
  readonly dimensionCurves: Lists<r.DimensionCurve, r.DimensionCurveFilters, r.DimensionCurveRelations> & Gets<r.DimensionCurve, r.DimensionCurveRelations>
  /** One dimension that a curve runs over. */
  readonly dimensionCurveAxes: Lists<r.DimensionCurveAxis, r.DimensionCurveAxisFilters, r.DimensionCurveAxisRelations> & Gets<r.DimensionCurveAxis, r.DimensionCurveAxisRelations>
  /** One dimension value on an axis of a curve. */
  readonly dimensionCurveAxisValues: Lists<r.DimensionCurveAxisValue, r.DimensionCurveAxisValueFilters, r.DimensionCurveAxisValueRelations> & Gets<r.DimensionCurveAxisValue, r.DimensionCurveAxisValueRelations>
  /** The share or number of pieces a curve gives to one size combination. */
  readonly dimensionCurveCells: Lists<r.DimensionCurveCell, r.DimensionCurveCellFilters, r.DimensionCurveCellRelations> & Gets<r.DimensionCurveCell, r.DimensionCurveCellRelations>
  /** A list of checks that samples are put through. */
  readonly checklists: Lists<r.Checklist, r.ChecklistFilters, r.ChecklistRelations> & Gets<r.Checklist, r.ChecklistRelations>
  /** How goods are to be packed: pieces per bag and carton, carton size, size ratio. */
  readonly packingTemplates: Lists<r.PackingTemplate, r.PackingTemplateFilters, r.PackingTemplateRelations> & Gets<r.PackingTemplate, r.PackingTemplateRelations>
  /** A standard carton. */
  readonly cartonSizes: Lists<r.CartonSize, r.CartonSizeFilters, r.CartonSizeRelations> & Gets<r.CartonSize, r.CartonSizeRelations>
  /** A carrier: shipping line, airline, haulier, railway or parcel service. */
  readonly couriers: Lists<r.Courier, r.CourierFilters, r.CourierRelations> & Gets<r.Courier, r.CourierRelations>
  /** A standard way of paying: the instalments and the events they follow. */
  readonly paymentTerms: Lists<r.PaymentTerm, r.PaymentTermFilters, r.PaymentTermRelations> & Gets<r.PaymentTerm, r.PaymentTermRelations>
  /** A unit that quantities, lengths, weights and volumes are given in. */
  readonly unitsOfMeasure: Lists<r.UnitOfMeasure, r.UnitOfMeasureFilters, r.UnitOfMeasureRelations> & Gets<r.UnitOfMeasure, r.UnitOfMeasureRelations>
  /** A country and its two-letter code. */
  readonly countries: Lists<r.Country, r.CountryFilters, r.CountryRelations> & Gets<r.Country, r.CountryRelations>
  /** A field the brand added to one kind of record; its values are in that record's customFields. */
  readonly customFieldDefinitions: Lists<r.CustomFieldDefinition, r.CustomFieldDefinitionFilters, r.CustomFieldDefinitionRelations> & Gets<r.CustomFieldDefinition, r.CustomFieldDefinitionRelations>
}
