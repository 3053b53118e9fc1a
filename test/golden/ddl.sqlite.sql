-- Made from the contract by tools/generate.ts. Do not edit: run npm run generate.
create table "selvedge_settings" ("name" text primary key, "value" text not null);
create table "selvedge_shapes" ("collection" text primary key, "fields" text not null);
create table "selvedge_collections" ("brand" text not null, "collection" text not null, "version" integer not null, "total" integer not null, primary key ("brand", "collection")) without rowid;
create table "selvedge_totals" ("brand" text not null, "collection" text not null, "filter" text not null, "value" text not null, "total" integer not null, primary key ("brand", "collection", "filter", "value")) without rowid;
create table "selvedge_changes" ("brand" text not null, "collection" text not null, "key1" text not null, "key2" text not null, "key3" text not null, "change" integer not null, "removed" integer not null, primary key ("brand", "collection", "key1", "key2", "key3")) without rowid;
create table "selvedge_change_numbers" ("change" integer primary key);
create index "selvedge_changes__all" on "selvedge_changes" ("brand", "change", "collection", "key1", "key2", "key3", "removed");
create index "selvedge_changes__collection" on "selvedge_changes" ("brand", "collection", "change", "key1", "key2", "key3", "removed");
create table "brand" (
  "brand" text not null,
  "id" text not null,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create table "parent_products" (
  "brand" text not null,
  "id" text not null,
  "categoryId" text,
  "dimensionGroupId" text,
  "supplierId" text,
  "code" text,
  "name" text,
  "status" text,
  "department" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "parent_products__categoryId" on "parent_products" ("brand", "categoryId", "id");
create index "parent_products__dimensionGroupId" on "parent_products" ("brand", "dimensionGroupId", "id");
create index "parent_products__supplierId" on "parent_products" ("brand", "supplierId", "id");
create index "parent_products__code" on "parent_products" ("brand", "code", "id");
create index "parent_products__name" on "parent_products" ("brand", "name", "id");
create index "parent_products__status" on "parent_products" ("brand", "status", "id");
create index "parent_products__department" on "parent_products" ("brand", "department", "id");
create table "product_options" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "colorId" text,
  "packingTemplateId" text,
  "dimensionCurveId" text,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "product_options__productId" on "product_options" ("brand", "productId", "id");
create index "product_options__colorId" on "product_options" ("brand", "colorId", "id");
create index "product_options__packingTemplateId" on "product_options" ("brand", "packingTemplateId", "id");
create index "product_options__dimensionCurveId" on "product_options" ("brand", "dimensionCurveId", "id");
create index "product_options__code" on "product_options" ("brand", "code", "id");
create index "product_options__name" on "product_options" ("brand", "name", "id");
create index "product_options__status" on "product_options" ("brand", "status", "id");
create table "skus" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "productOptionId" text,
  "code" text,
  "gtin" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "skus__productId" on "skus" ("brand", "productId", "id");
create index "skus__productOptionId" on "skus" ("brand", "productOptionId", "id");
create index "skus__code" on "skus" ("brand", "code", "id");
create index "skus__gtin" on "skus" ("brand", "gtin", "id");
create index "skus__status" on "skus" ("brand", "status", "id");
create table "product_versions" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "status" text,
  "label" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "product_versions__productId" on "product_versions" ("brand", "productId", "id");
create index "product_versions__status" on "product_versions" ("brand", "status", "id");
create index "product_versions__label" on "product_versions" ("brand", "label", "id");
create table "boms" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "productVersionId" text,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "boms__productId" on "boms" ("brand", "productId", "id");
create index "boms__productVersionId" on "boms" ("brand", "productVersionId", "id");
create index "boms__code" on "boms" ("brand", "code", "id");
create index "boms__name" on "boms" ("brand", "name", "id");
create index "boms__status" on "boms" ("brand", "status", "id");
create table "bom_components" (
  "brand" text not null,
  "id" text not null,
  "bomId" text,
  "bomSectionId" text,
  "materialId" text,
  "materialVariantId" text,
  "supplierId" text,
  "placement" text,
  "sourcedBy" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "bom_components__bomId" on "bom_components" ("brand", "bomId", "id");
create index "bom_components__bomSectionId" on "bom_components" ("brand", "bomSectionId", "id");
create index "bom_components__materialId" on "bom_components" ("brand", "materialId", "id");
create index "bom_components__materialVariantId" on "bom_components" ("brand", "materialVariantId", "id");
create index "bom_components__supplierId" on "bom_components" ("brand", "supplierId", "id");
create index "bom_components__placement" on "bom_components" ("brand", "placement", "id");
create index "bom_components__sourcedBy" on "bom_components" ("brand", "sourcedBy", "id");
create table "bom_skus" (
  "brand" text not null,
  "bomId" text not null,
  "skuId" text not null,
  "body" text not null,
  primary key ("brand", "bomId", "skuId")
) without rowid;
create index "bom_skus__skuId" on "bom_skus" ("brand", "skuId", "bomId");
create table "bom_sections" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "bom_sections__code" on "bom_sections" ("brand", "code", "id");
create index "bom_sections__name" on "bom_sections" ("brand", "name", "id");
create table "measurement_tables" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "productVersionId" text,
  "baseDimensionValueId" text,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "measurement_tables__productId" on "measurement_tables" ("brand", "productId", "id");
create index "measurement_tables__productVersionId" on "measurement_tables" ("brand", "productVersionId", "id");
create index "measurement_tables__baseDimensionValueId" on "measurement_tables" ("brand", "baseDimensionValueId", "id");
create index "measurement_tables__code" on "measurement_tables" ("brand", "code", "id");
create index "measurement_tables__name" on "measurement_tables" ("brand", "name", "id");
create index "measurement_tables__status" on "measurement_tables" ("brand", "status", "id");
create table "measurement_table_skus" (
  "brand" text not null,
  "measurementTableId" text not null,
  "skuId" text not null,
  "body" text not null,
  primary key ("brand", "measurementTableId", "skuId")
) without rowid;
create index "measurement_table_skus__skuId" on "measurement_table_skus" ("brand", "skuId", "measurementTableId");
create table "product_relations" (
  "brand" text not null,
  "productId" text not null,
  "relatedProductId" text not null,
  "kind" text not null,
  "body" text not null,
  primary key ("brand", "productId", "relatedProductId", "kind")
) without rowid;
create index "product_relations__relatedProductId" on "product_relations" ("brand", "relatedProductId", "productId", "kind");
create index "product_relations__kind" on "product_relations" ("brand", "kind", "productId", "relatedProductId");
create table "product_option_values" (
  "brand" text not null,
  "productOptionId" text not null,
  "optionValueId" text not null,
  "body" text not null,
  primary key ("brand", "productOptionId", "optionValueId")
) without rowid;
create index "product_option_values__optionValueId" on "product_option_values" ("brand", "optionValueId", "productOptionId");
create table "product_option_dimension_values" (
  "brand" text not null,
  "productOptionId" text not null,
  "dimensionValueId" text not null,
  "body" text not null,
  primary key ("brand", "productOptionId", "dimensionValueId")
) without rowid;
create index "product_option_dimension_values__dimensionValueId" on "product_option_dimension_values" ("brand", "dimensionValueId", "productOptionId");
create table "product_option_prices" (
  "brand" text not null,
  "productOptionId" text not null,
  "kind" text not null,
  "currency" text not null,
  "body" text not null,
  primary key ("brand", "productOptionId", "kind", "currency")
) without rowid;
create index "product_option_prices__kind" on "product_option_prices" ("brand", "kind", "productOptionId", "currency");
create index "product_option_prices__currency" on "product_option_prices" ("brand", "currency", "productOptionId", "kind");
create table "product_option_collections" (
  "brand" text not null,
  "productOptionId" text not null,
  "collectionId" text not null,
  "body" text not null,
  primary key ("brand", "productOptionId", "collectionId")
) without rowid;
create index "product_option_collections__collectionId" on "product_option_collections" ("brand", "collectionId", "productOptionId");
create table "sku_dimension_values" (
  "brand" text not null,
  "skuId" text not null,
  "dimensionValueId" text not null,
  "body" text not null,
  primary key ("brand", "skuId", "dimensionValueId")
) without rowid;
create index "sku_dimension_values__dimensionValueId" on "sku_dimension_values" ("brand", "dimensionValueId", "skuId");
create table "product_collections" (
  "brand" text not null,
  "productId" text not null,
  "collectionId" text not null,
  "body" text not null,
  primary key ("brand", "productId", "collectionId")
) without rowid;
create index "product_collections__collectionId" on "product_collections" ("brand", "collectionId", "productId");
create table "product_tags" (
  "brand" text not null,
  "productId" text not null,
  "tagId" text not null,
  "body" text not null,
  primary key ("brand", "productId", "tagId")
) without rowid;
create index "product_tags__tagId" on "product_tags" ("brand", "tagId", "productId");
create table "product_launch_windows" (
  "brand" text not null,
  "productId" text not null,
  "launchWindowId" text not null,
  "body" text not null,
  primary key ("brand", "productId", "launchWindowId")
) without rowid;
create index "product_launch_windows__launchWindowId" on "product_launch_windows" ("brand", "launchWindowId", "productId");
create table "suppliers" (
  "brand" text not null,
  "id" text not null,
  "partnerId" text,
  "defaultLocationId" text,
  "defaultContactId" text,
  "defaultPaymentTermId" text,
  "code" text,
  "name" text,
  "kind" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "suppliers__partnerId" on "suppliers" ("brand", "partnerId", "id");
create index "suppliers__defaultLocationId" on "suppliers" ("brand", "defaultLocationId", "id");
create index "suppliers__defaultContactId" on "suppliers" ("brand", "defaultContactId", "id");
create index "suppliers__defaultPaymentTermId" on "suppliers" ("brand", "defaultPaymentTermId", "id");
create index "suppliers__code" on "suppliers" ("brand", "code", "id");
create index "suppliers__name" on "suppliers" ("brand", "name", "id");
create index "suppliers__kind" on "suppliers" ("brand", "kind", "id");
create index "suppliers__status" on "suppliers" ("brand", "status", "id");
create table "quotes" (
  "brand" text not null,
  "id" text not null,
  "supplierId" text,
  "productId" text,
  "productVersionId" text,
  "quoteNumber" text,
  "status" text,
  "currency" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "quotes__supplierId" on "quotes" ("brand", "supplierId", "id");
create index "quotes__productId" on "quotes" ("brand", "productId", "id");
create index "quotes__productVersionId" on "quotes" ("brand", "productVersionId", "id");
create index "quotes__quoteNumber" on "quotes" ("brand", "quoteNumber", "id");
create index "quotes__status" on "quotes" ("brand", "status", "id");
create index "quotes__currency" on "quotes" ("brand", "currency", "id");
create table "quote_revisions" (
  "brand" text not null,
  "id" text not null,
  "quoteId" text,
  "paymentTermId" text,
  "status" text,
  "currency" text,
  "incotermCode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "quote_revisions__quoteId" on "quote_revisions" ("brand", "quoteId", "id");
create index "quote_revisions__paymentTermId" on "quote_revisions" ("brand", "paymentTermId", "id");
create index "quote_revisions__status" on "quote_revisions" ("brand", "status", "id");
create index "quote_revisions__currency" on "quote_revisions" ("brand", "currency", "id");
create index "quote_revisions__incotermCode" on "quote_revisions" ("brand", "incotermCode", "id");
create table "quote_items" (
  "brand" text not null,
  "id" text not null,
  "quoteRevisionId" text,
  "productOptionId" text,
  "skuId" text,
  "materialVariantId" text,
  "itemType" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "quote_items__quoteRevisionId" on "quote_items" ("brand", "quoteRevisionId", "id");
create index "quote_items__productOptionId" on "quote_items" ("brand", "productOptionId", "id");
create index "quote_items__skuId" on "quote_items" ("brand", "skuId", "id");
create index "quote_items__materialVariantId" on "quote_items" ("brand", "materialVariantId", "id");
create index "quote_items__itemType" on "quote_items" ("brand", "itemType", "id");
create table "quote_price_bands" (
  "brand" text not null,
  "id" text not null,
  "quoteItemId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "quote_price_bands__quoteItemId" on "quote_price_bands" ("brand", "quoteItemId", "id");
create table "quote_notes" (
  "brand" text not null,
  "id" text not null,
  "quoteId" text,
  "quoteRevisionId" text,
  "contactId" text,
  "visibility" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "quote_notes__quoteId" on "quote_notes" ("brand", "quoteId", "id");
create index "quote_notes__quoteRevisionId" on "quote_notes" ("brand", "quoteRevisionId", "id");
create index "quote_notes__contactId" on "quote_notes" ("brand", "contactId", "id");
create index "quote_notes__visibility" on "quote_notes" ("brand", "visibility", "id");
create table "samples" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "productVersionId" text,
  "productOptionId" text,
  "skuId" text,
  "supplierId" text,
  "quoteId" text,
  "orderId" text,
  "checklistId" text,
  "sampleNumber" text,
  "kind" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "samples__productId" on "samples" ("brand", "productId", "id");
create index "samples__productVersionId" on "samples" ("brand", "productVersionId", "id");
create index "samples__productOptionId" on "samples" ("brand", "productOptionId", "id");
create index "samples__skuId" on "samples" ("brand", "skuId", "id");
create index "samples__supplierId" on "samples" ("brand", "supplierId", "id");
create index "samples__quoteId" on "samples" ("brand", "quoteId", "id");
create index "samples__orderId" on "samples" ("brand", "orderId", "id");
create index "samples__checklistId" on "samples" ("brand", "checklistId", "id");
create index "samples__sampleNumber" on "samples" ("brand", "sampleNumber", "id");
create index "samples__kind" on "samples" ("brand", "kind", "id");
create index "samples__status" on "samples" ("brand", "status", "id");
create table "sample_rounds" (
  "brand" text not null,
  "id" text not null,
  "sampleId" text,
  "courierId" text,
  "measurementTableId" text,
  "status" text,
  "decision" text,
  "trackingNumber" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "sample_rounds__sampleId" on "sample_rounds" ("brand", "sampleId", "id");
create index "sample_rounds__courierId" on "sample_rounds" ("brand", "courierId", "id");
create index "sample_rounds__measurementTableId" on "sample_rounds" ("brand", "measurementTableId", "id");
create index "sample_rounds__status" on "sample_rounds" ("brand", "status", "id");
create index "sample_rounds__decision" on "sample_rounds" ("brand", "decision", "id");
create index "sample_rounds__trackingNumber" on "sample_rounds" ("brand", "trackingNumber", "id");
create table "sample_checklist_results" (
  "brand" text not null,
  "id" text not null,
  "sampleRoundId" text,
  "checklistId" text,
  "imageId" text,
  "result" text,
  "itemKey" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "sample_checklist_results__sampleRoundId" on "sample_checklist_results" ("brand", "sampleRoundId", "id");
create index "sample_checklist_results__checklistId" on "sample_checklist_results" ("brand", "checklistId", "id");
create index "sample_checklist_results__imageId" on "sample_checklist_results" ("brand", "imageId", "id");
create index "sample_checklist_results__result" on "sample_checklist_results" ("brand", "result", "id");
create index "sample_checklist_results__itemKey" on "sample_checklist_results" ("brand", "itemKey", "id");
create table "orders" (
  "brand" text not null,
  "id" text not null,
  "supplierId" text,
  "quoteRevisionId" text,
  "paymentTermId" text,
  "destinationLocationId" text,
  "orderNumber" text,
  "kind" text,
  "status" text,
  "currency" text,
  "incotermCode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "orders__supplierId" on "orders" ("brand", "supplierId", "id");
create index "orders__quoteRevisionId" on "orders" ("brand", "quoteRevisionId", "id");
create index "orders__paymentTermId" on "orders" ("brand", "paymentTermId", "id");
create index "orders__destinationLocationId" on "orders" ("brand", "destinationLocationId", "id");
create index "orders__orderNumber" on "orders" ("brand", "orderNumber", "id");
create index "orders__kind" on "orders" ("brand", "kind", "id");
create index "orders__status" on "orders" ("brand", "status", "id");
create index "orders__currency" on "orders" ("brand", "currency", "id");
create index "orders__incotermCode" on "orders" ("brand", "incotermCode", "id");
create table "order_items" (
  "brand" text not null,
  "id" text not null,
  "orderId" text,
  "skuId" text,
  "productVersionId" text,
  "htsCode" text,
  "itemType" text,
  "step" text,
  "category" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "order_items__orderId" on "order_items" ("brand", "orderId", "id");
create index "order_items__skuId" on "order_items" ("brand", "skuId", "id");
create index "order_items__productVersionId" on "order_items" ("brand", "productVersionId", "id");
create index "order_items__htsCode" on "order_items" ("brand", "htsCode", "id");
create index "order_items__itemType" on "order_items" ("brand", "itemType", "id");
create index "order_items__step" on "order_items" ("brand", "step", "id");
create index "order_items__category" on "order_items" ("brand", "category", "id");
create table "order_amendments" (
  "brand" text not null,
  "id" text not null,
  "orderId" text,
  "revisionId" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "order_amendments__orderId" on "order_amendments" ("brand", "orderId", "id");
create index "order_amendments__revisionId" on "order_amendments" ("brand", "revisionId", "id");
create index "order_amendments__status" on "order_amendments" ("brand", "status", "id");
create table "production_runs" (
  "brand" text not null,
  "id" text not null,
  "orderId" text,
  "originId" text,
  "runNumber" integer,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "production_runs__orderId" on "production_runs" ("brand", "orderId", "id");
create index "production_runs__originId" on "production_runs" ("brand", "originId", "id");
create index "production_runs__runNumber" on "production_runs" ("brand", "runNumber", "id");
create table "production_run_items" (
  "brand" text not null,
  "id" text not null,
  "productionRunId" text,
  "orderItemId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "production_run_items__productionRunId" on "production_run_items" ("brand", "productionRunId", "id");
create index "production_run_items__orderItemId" on "production_run_items" ("brand", "orderItemId", "id");
create index "production_run_items__orderItemId__productionRunId" on "production_run_items" ("brand", "orderItemId", "productionRunId", "id");
create table "production_run_item_revisions" (
  "brand" text not null,
  "id" text not null,
  "productionRunItemId" text,
  "source" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "production_run_item_revisions__productionRunItemId" on "production_run_item_revisions" ("brand", "productionRunItemId", "id");
create index "production_run_item_revisions__source" on "production_run_item_revisions" ("brand", "source", "id");
create table "shipments" (
  "brand" text not null,
  "id" text not null,
  "supplierId" text,
  "forwarderPartnerId" text,
  "courierId" text,
  "originLocationId" text,
  "destinationLocationId" text,
  "shipmentNumber" text,
  "status" text,
  "mode" text,
  "masterBillNumber" text,
  "houseBillNumber" text,
  "trackingNumber" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "shipments__supplierId" on "shipments" ("brand", "supplierId", "id");
create index "shipments__forwarderPartnerId" on "shipments" ("brand", "forwarderPartnerId", "id");
create index "shipments__courierId" on "shipments" ("brand", "courierId", "id");
create index "shipments__originLocationId" on "shipments" ("brand", "originLocationId", "id");
create index "shipments__destinationLocationId" on "shipments" ("brand", "destinationLocationId", "id");
create index "shipments__shipmentNumber" on "shipments" ("brand", "shipmentNumber", "id");
create index "shipments__status" on "shipments" ("brand", "status", "id");
create index "shipments__mode" on "shipments" ("brand", "mode", "id");
create index "shipments__masterBillNumber" on "shipments" ("brand", "masterBillNumber", "id");
create index "shipments__houseBillNumber" on "shipments" ("brand", "houseBillNumber", "id");
create index "shipments__trackingNumber" on "shipments" ("brand", "trackingNumber", "id");
create table "shipment_items" (
  "brand" text not null,
  "id" text not null,
  "shipmentId" text,
  "orderItemId" text,
  "productionRunItemId" text,
  "skuId" text,
  "htsCode" text,
  "countryOfOriginCode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "shipment_items__shipmentId" on "shipment_items" ("brand", "shipmentId", "id");
create index "shipment_items__orderItemId" on "shipment_items" ("brand", "orderItemId", "id");
create index "shipment_items__productionRunItemId" on "shipment_items" ("brand", "productionRunItemId", "id");
create index "shipment_items__skuId" on "shipment_items" ("brand", "skuId", "id");
create index "shipment_items__htsCode" on "shipment_items" ("brand", "htsCode", "id");
create index "shipment_items__countryOfOriginCode" on "shipment_items" ("brand", "countryOfOriginCode", "id");
create table "shipment_cartons" (
  "brand" text not null,
  "id" text not null,
  "shipmentId" text,
  "packingListId" text,
  "cartonSizeId" text,
  "packingTemplateId" text,
  "cartonNumber" text,
  "sscc" text,
  "palletReference" text,
  "containerNumber" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "shipment_cartons__shipmentId" on "shipment_cartons" ("brand", "shipmentId", "id");
create index "shipment_cartons__packingListId" on "shipment_cartons" ("brand", "packingListId", "id");
create index "shipment_cartons__cartonSizeId" on "shipment_cartons" ("brand", "cartonSizeId", "id");
create index "shipment_cartons__packingTemplateId" on "shipment_cartons" ("brand", "packingTemplateId", "id");
create index "shipment_cartons__cartonNumber" on "shipment_cartons" ("brand", "cartonNumber", "id");
create index "shipment_cartons__sscc" on "shipment_cartons" ("brand", "sscc", "id");
create index "shipment_cartons__palletReference" on "shipment_cartons" ("brand", "palletReference", "id");
create index "shipment_cartons__containerNumber" on "shipment_cartons" ("brand", "containerNumber", "id");
create table "shipment_carton_items" (
  "brand" text not null,
  "id" text not null,
  "shipmentCartonId" text,
  "shipmentItemId" text,
  "skuId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "shipment_carton_items__shipmentCartonId" on "shipment_carton_items" ("brand", "shipmentCartonId", "id");
create index "shipment_carton_items__shipmentItemId" on "shipment_carton_items" ("brand", "shipmentItemId", "id");
create index "shipment_carton_items__skuId" on "shipment_carton_items" ("brand", "skuId", "id");
create table "shipment_charges" (
  "brand" text not null,
  "id" text not null,
  "shipmentId" text,
  "legId" text,
  "partnerId" text,
  "kind" text,
  "stage" text,
  "currency" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "shipment_charges__shipmentId" on "shipment_charges" ("brand", "shipmentId", "id");
create index "shipment_charges__legId" on "shipment_charges" ("brand", "legId", "id");
create index "shipment_charges__partnerId" on "shipment_charges" ("brand", "partnerId", "id");
create index "shipment_charges__kind" on "shipment_charges" ("brand", "kind", "id");
create index "shipment_charges__stage" on "shipment_charges" ("brand", "stage", "id");
create index "shipment_charges__currency" on "shipment_charges" ("brand", "currency", "id");
create table "order_shipments" (
  "brand" text not null,
  "orderId" text not null,
  "shipmentId" text not null,
  "body" text not null,
  primary key ("brand", "orderId", "shipmentId")
) without rowid;
create index "order_shipments__shipmentId" on "order_shipments" ("brand", "shipmentId", "orderId");
create table "legs" (
  "brand" text not null,
  "id" text not null,
  "shipmentId" text,
  "bookingId" text,
  "originLocationId" text,
  "destinationLocationId" text,
  "courierId" text,
  "mode" text,
  "status" text,
  "containerNumber" text,
  "trackingNumber" text,
  "vesselName" text,
  "voyageNumber" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "legs__shipmentId" on "legs" ("brand", "shipmentId", "id");
create index "legs__bookingId" on "legs" ("brand", "bookingId", "id");
create index "legs__originLocationId" on "legs" ("brand", "originLocationId", "id");
create index "legs__destinationLocationId" on "legs" ("brand", "destinationLocationId", "id");
create index "legs__courierId" on "legs" ("brand", "courierId", "id");
create index "legs__mode" on "legs" ("brand", "mode", "id");
create index "legs__status" on "legs" ("brand", "status", "id");
create index "legs__containerNumber" on "legs" ("brand", "containerNumber", "id");
create index "legs__trackingNumber" on "legs" ("brand", "trackingNumber", "id");
create index "legs__vesselName" on "legs" ("brand", "vesselName", "id");
create index "legs__voyageNumber" on "legs" ("brand", "voyageNumber", "id");
create table "leg_items" (
  "brand" text not null,
  "id" text not null,
  "legId" text,
  "shipmentItemId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "leg_items__legId" on "leg_items" ("brand", "legId", "id");
create index "leg_items__shipmentItemId" on "leg_items" ("brand", "shipmentItemId", "id");
create table "bookings" (
  "brand" text not null,
  "id" text not null,
  "forwarderPartnerId" text,
  "courierId" text,
  "originLocationId" text,
  "destinationLocationId" text,
  "bookingNumber" text,
  "carrierBookingReference" text,
  "status" text,
  "mode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "bookings__forwarderPartnerId" on "bookings" ("brand", "forwarderPartnerId", "id");
create index "bookings__courierId" on "bookings" ("brand", "courierId", "id");
create index "bookings__originLocationId" on "bookings" ("brand", "originLocationId", "id");
create index "bookings__destinationLocationId" on "bookings" ("brand", "destinationLocationId", "id");
create index "bookings__bookingNumber" on "bookings" ("brand", "bookingNumber", "id");
create index "bookings__carrierBookingReference" on "bookings" ("brand", "carrierBookingReference", "id");
create index "bookings__status" on "bookings" ("brand", "status", "id");
create index "bookings__mode" on "bookings" ("brand", "mode", "id");
create table "booking_items" (
  "brand" text not null,
  "id" text not null,
  "bookingId" text,
  "orderItemId" text,
  "productionRunItemId" text,
  "skuId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "booking_items__bookingId" on "booking_items" ("brand", "bookingId", "id");
create index "booking_items__orderItemId" on "booking_items" ("brand", "orderItemId", "id");
create index "booking_items__productionRunItemId" on "booking_items" ("brand", "productionRunItemId", "id");
create index "booking_items__skuId" on "booking_items" ("brand", "skuId", "id");
create table "shipment_bookings" (
  "brand" text not null,
  "shipmentId" text not null,
  "bookingId" text not null,
  "body" text not null,
  primary key ("brand", "shipmentId", "bookingId")
) without rowid;
create index "shipment_bookings__bookingId" on "shipment_bookings" ("brand", "bookingId", "shipmentId");
create table "shipment_item_lineages" (
  "brand" text not null,
  "id" text not null,
  "sourceShipmentItemId" text,
  "targetShipmentItemId" text,
  "kind" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "shipment_item_lineages__sourceShipmentItemId" on "shipment_item_lineages" ("brand", "sourceShipmentItemId", "id");
create index "shipment_item_lineages__targetShipmentItemId" on "shipment_item_lineages" ("brand", "targetShipmentItemId", "id");
create index "shipment_item_lineages__kind" on "shipment_item_lineages" ("brand", "kind", "id");
create table "packing_lists" (
  "brand" text not null,
  "id" text not null,
  "documentId" text,
  "orderId" text,
  "shipmentId" text,
  "supplierId" text,
  "grain" text,
  "reference" text,
  "packingListDate" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "packing_lists__documentId" on "packing_lists" ("brand", "documentId", "id");
create index "packing_lists__orderId" on "packing_lists" ("brand", "orderId", "id");
create index "packing_lists__shipmentId" on "packing_lists" ("brand", "shipmentId", "id");
create index "packing_lists__supplierId" on "packing_lists" ("brand", "supplierId", "id");
create index "packing_lists__grain" on "packing_lists" ("brand", "grain", "id");
create index "packing_lists__reference" on "packing_lists" ("brand", "reference", "id");
create index "packing_lists__packingListDate" on "packing_lists" ("brand", "packingListDate", "id");
create table "packing_list_lines" (
  "brand" text not null,
  "id" text not null,
  "packingListId" text,
  "orderItemId" text,
  "shipmentItemId" text,
  "skuId" text,
  "matchStatus" text,
  "statedSkuCode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "packing_list_lines__packingListId" on "packing_list_lines" ("brand", "packingListId", "id");
create index "packing_list_lines__orderItemId" on "packing_list_lines" ("brand", "orderItemId", "id");
create index "packing_list_lines__shipmentItemId" on "packing_list_lines" ("brand", "shipmentItemId", "id");
create index "packing_list_lines__skuId" on "packing_list_lines" ("brand", "skuId", "id");
create index "packing_list_lines__matchStatus" on "packing_list_lines" ("brand", "matchStatus", "id");
create index "packing_list_lines__statedSkuCode" on "packing_list_lines" ("brand", "statedSkuCode", "id");
create table "goods_receipts" (
  "brand" text not null,
  "id" text not null,
  "shipmentId" text,
  "packingListId" text,
  "locationId" text,
  "receiptNumber" text,
  "status" text,
  "reference" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "goods_receipts__shipmentId" on "goods_receipts" ("brand", "shipmentId", "id");
create index "goods_receipts__packingListId" on "goods_receipts" ("brand", "packingListId", "id");
create index "goods_receipts__locationId" on "goods_receipts" ("brand", "locationId", "id");
create index "goods_receipts__receiptNumber" on "goods_receipts" ("brand", "receiptNumber", "id");
create index "goods_receipts__status" on "goods_receipts" ("brand", "status", "id");
create index "goods_receipts__reference" on "goods_receipts" ("brand", "reference", "id");
create table "goods_receipt_lines" (
  "brand" text not null,
  "id" text not null,
  "goodsReceiptId" text,
  "shipmentItemId" text,
  "shipmentCartonId" text,
  "orderItemId" text,
  "skuId" text,
  "discrepancyReason" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "goods_receipt_lines__goodsReceiptId" on "goods_receipt_lines" ("brand", "goodsReceiptId", "id");
create index "goods_receipt_lines__shipmentItemId" on "goods_receipt_lines" ("brand", "shipmentItemId", "id");
create index "goods_receipt_lines__shipmentCartonId" on "goods_receipt_lines" ("brand", "shipmentCartonId", "id");
create index "goods_receipt_lines__orderItemId" on "goods_receipt_lines" ("brand", "orderItemId", "id");
create index "goods_receipt_lines__skuId" on "goods_receipt_lines" ("brand", "skuId", "id");
create index "goods_receipt_lines__discrepancyReason" on "goods_receipt_lines" ("brand", "discrepancyReason", "id");
create table "inventory" (
  "brand" text not null,
  "id" text not null,
  "skuId" text,
  "locationId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "inventory__skuId" on "inventory" ("brand", "skuId", "id");
create index "inventory__locationId" on "inventory" ("brand", "locationId", "id");
create table "invoices" (
  "brand" text not null,
  "id" text not null,
  "partnerId" text,
  "supplierId" text,
  "orderId" text,
  "shipmentId" text,
  "documentId" text,
  "creditedInvoiceId" text,
  "paymentTermId" text,
  "invoiceNumber" text,
  "kind" text,
  "status" text,
  "currency" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "invoices__partnerId" on "invoices" ("brand", "partnerId", "id");
create index "invoices__supplierId" on "invoices" ("brand", "supplierId", "id");
create index "invoices__orderId" on "invoices" ("brand", "orderId", "id");
create index "invoices__shipmentId" on "invoices" ("brand", "shipmentId", "id");
create index "invoices__documentId" on "invoices" ("brand", "documentId", "id");
create index "invoices__creditedInvoiceId" on "invoices" ("brand", "creditedInvoiceId", "id");
create index "invoices__paymentTermId" on "invoices" ("brand", "paymentTermId", "id");
create index "invoices__invoiceNumber" on "invoices" ("brand", "invoiceNumber", "id");
create index "invoices__kind" on "invoices" ("brand", "kind", "id");
create index "invoices__status" on "invoices" ("brand", "status", "id");
create index "invoices__currency" on "invoices" ("brand", "currency", "id");
create table "invoice_lines" (
  "brand" text not null,
  "id" text not null,
  "invoiceId" text,
  "orderItemId" text,
  "shipmentItemId" text,
  "shipmentChargeId" text,
  "skuId" text,
  "kind" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "invoice_lines__invoiceId" on "invoice_lines" ("brand", "invoiceId", "id");
create index "invoice_lines__orderItemId" on "invoice_lines" ("brand", "orderItemId", "id");
create index "invoice_lines__shipmentItemId" on "invoice_lines" ("brand", "shipmentItemId", "id");
create index "invoice_lines__shipmentChargeId" on "invoice_lines" ("brand", "shipmentChargeId", "id");
create index "invoice_lines__skuId" on "invoice_lines" ("brand", "skuId", "id");
create index "invoice_lines__kind" on "invoice_lines" ("brand", "kind", "id");
create table "payment_agreements" (
  "brand" text not null,
  "id" text not null,
  "orderId" text,
  "partnerId" text,
  "supplierId" text,
  "paymentTermId" text,
  "documentId" text,
  "reference" text,
  "status" text,
  "currency" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "payment_agreements__orderId" on "payment_agreements" ("brand", "orderId", "id");
create index "payment_agreements__partnerId" on "payment_agreements" ("brand", "partnerId", "id");
create index "payment_agreements__supplierId" on "payment_agreements" ("brand", "supplierId", "id");
create index "payment_agreements__paymentTermId" on "payment_agreements" ("brand", "paymentTermId", "id");
create index "payment_agreements__documentId" on "payment_agreements" ("brand", "documentId", "id");
create index "payment_agreements__reference" on "payment_agreements" ("brand", "reference", "id");
create index "payment_agreements__status" on "payment_agreements" ("brand", "status", "id");
create index "payment_agreements__currency" on "payment_agreements" ("brand", "currency", "id");
create table "payment_milestones" (
  "brand" text not null,
  "id" text not null,
  "paymentAgreementId" text,
  "invoiceId" text,
  "trigger" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "payment_milestones__paymentAgreementId" on "payment_milestones" ("brand", "paymentAgreementId", "id");
create index "payment_milestones__invoiceId" on "payment_milestones" ("brand", "invoiceId", "id");
create index "payment_milestones__trigger" on "payment_milestones" ("brand", "trigger", "id");
create index "payment_milestones__status" on "payment_milestones" ("brand", "status", "id");
create table "payments" (
  "brand" text not null,
  "id" text not null,
  "partnerId" text,
  "supplierId" text,
  "paymentNumber" text,
  "direction" text,
  "method" text,
  "status" text,
  "currency" text,
  "reference" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "payments__partnerId" on "payments" ("brand", "partnerId", "id");
create index "payments__supplierId" on "payments" ("brand", "supplierId", "id");
create index "payments__paymentNumber" on "payments" ("brand", "paymentNumber", "id");
create index "payments__direction" on "payments" ("brand", "direction", "id");
create index "payments__method" on "payments" ("brand", "method", "id");
create index "payments__status" on "payments" ("brand", "status", "id");
create index "payments__currency" on "payments" ("brand", "currency", "id");
create index "payments__reference" on "payments" ("brand", "reference", "id");
create table "payment_settlements" (
  "brand" text not null,
  "id" text not null,
  "paymentId" text,
  "invoiceId" text,
  "paymentMilestoneId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "payment_settlements__paymentId" on "payment_settlements" ("brand", "paymentId", "id");
create index "payment_settlements__invoiceId" on "payment_settlements" ("brand", "invoiceId", "id");
create index "payment_settlements__paymentMilestoneId" on "payment_settlements" ("brand", "paymentMilestoneId", "id");
create index "payment_settlements__paymentId__invoiceId" on "payment_settlements" ("brand", "paymentId", "invoiceId", "id");
create index "payment_settlements__invoiceId__paymentId" on "payment_settlements" ("brand", "invoiceId", "paymentId", "id");
create table "payment_receipts" (
  "brand" text not null,
  "id" text not null,
  "paymentId" text,
  "documentId" text,
  "contactId" text,
  "reference" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "payment_receipts__paymentId" on "payment_receipts" ("brand", "paymentId", "id");
create index "payment_receipts__documentId" on "payment_receipts" ("brand", "documentId", "id");
create index "payment_receipts__contactId" on "payment_receipts" ("brand", "contactId", "id");
create index "payment_receipts__reference" on "payment_receipts" ("brand", "reference", "id");
create table "partners" (
  "brand" text not null,
  "id" text not null,
  "slug" text,
  "name" text,
  "countryCode" text,
  "partnerStatus" text,
  "factoryAuditStatus" text,
  "relationshipStatus" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "partners__slug" on "partners" ("brand", "slug", "id");
create index "partners__name" on "partners" ("brand", "name", "id");
create index "partners__countryCode" on "partners" ("brand", "countryCode", "id");
create index "partners__partnerStatus" on "partners" ("brand", "partnerStatus", "id");
create index "partners__factoryAuditStatus" on "partners" ("brand", "factoryAuditStatus", "id");
create index "partners__relationshipStatus" on "partners" ("brand", "relationshipStatus", "id");
create table "contacts" (
  "brand" text not null,
  "id" text not null,
  "partnerId" text,
  "locationId" text,
  "displayName" text,
  "email" text,
  "role" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "contacts__partnerId" on "contacts" ("brand", "partnerId", "id");
create index "contacts__locationId" on "contacts" ("brand", "locationId", "id");
create index "contacts__displayName" on "contacts" ("brand", "displayName", "id");
create index "contacts__email" on "contacts" ("brand", "email", "id");
create index "contacts__role" on "contacts" ("brand", "role", "id");
create index "contacts__status" on "contacts" ("brand", "status", "id");
create table "locations" (
  "brand" text not null,
  "id" text not null,
  "name" text,
  "code" text,
  "kind" text,
  "countryCode" text,
  "city" text,
  "unLocode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "locations__name" on "locations" ("brand", "name", "id");
create index "locations__code" on "locations" ("brand", "code", "id");
create index "locations__kind" on "locations" ("brand", "kind", "id");
create index "locations__countryCode" on "locations" ("brand", "countryCode", "id");
create index "locations__city" on "locations" ("brand", "city", "id");
create index "locations__unLocode" on "locations" ("brand", "unLocode", "id");
create table "brand_locations" (
  "brand" text not null,
  "id" text not null,
  "locationId" text,
  "role" text,
  "code" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "brand_locations__locationId" on "brand_locations" ("brand", "locationId", "id");
create index "brand_locations__role" on "brand_locations" ("brand", "role", "id");
create index "brand_locations__code" on "brand_locations" ("brand", "code", "id");
create table "partner_locations" (
  "brand" text not null,
  "id" text not null,
  "partnerId" text,
  "locationId" text,
  "role" text,
  "midCode" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "partner_locations__partnerId" on "partner_locations" ("brand", "partnerId", "id");
create index "partner_locations__locationId" on "partner_locations" ("brand", "locationId", "id");
create index "partner_locations__role" on "partner_locations" ("brand", "role", "id");
create index "partner_locations__midCode" on "partner_locations" ("brand", "midCode", "id");
create index "partner_locations__partnerId__locationId" on "partner_locations" ("brand", "partnerId", "locationId", "id");
create table "documents" (
  "brand" text not null,
  "id" text not null,
  "documentTypeId" text,
  "supersedesDocumentId" text,
  "partnerId" text,
  "productId" text,
  "productVersionId" text,
  "quoteId" text,
  "sampleId" text,
  "orderId" text,
  "shipmentId" text,
  "name" text,
  "reference" text,
  "status" text,
  "mimeType" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "documents__documentTypeId" on "documents" ("brand", "documentTypeId", "id");
create index "documents__supersedesDocumentId" on "documents" ("brand", "supersedesDocumentId", "id");
create index "documents__partnerId" on "documents" ("brand", "partnerId", "id");
create index "documents__productId" on "documents" ("brand", "productId", "id");
create index "documents__productVersionId" on "documents" ("brand", "productVersionId", "id");
create index "documents__quoteId" on "documents" ("brand", "quoteId", "id");
create index "documents__sampleId" on "documents" ("brand", "sampleId", "id");
create index "documents__orderId" on "documents" ("brand", "orderId", "id");
create index "documents__shipmentId" on "documents" ("brand", "shipmentId", "id");
create index "documents__name" on "documents" ("brand", "name", "id");
create index "documents__reference" on "documents" ("brand", "reference", "id");
create index "documents__status" on "documents" ("brand", "status", "id");
create index "documents__mimeType" on "documents" ("brand", "mimeType", "id");
create table "document_types" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "domain" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "document_types__code" on "document_types" ("brand", "code", "id");
create index "document_types__name" on "document_types" ("brand", "name", "id");
create index "document_types__domain" on "document_types" ("brand", "domain", "id");
create index "document_types__status" on "document_types" ("brand", "status", "id");
create table "images" (
  "brand" text not null,
  "id" text not null,
  "productId" text,
  "productOptionId" text,
  "skuId" text,
  "optionValueId" text,
  "materialId" text,
  "materialVariantId" text,
  "sampleRoundId" text,
  "goodsReceiptId" text,
  "kind" text,
  "mimeType" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "images__productId" on "images" ("brand", "productId", "id");
create index "images__productOptionId" on "images" ("brand", "productOptionId", "id");
create index "images__skuId" on "images" ("brand", "skuId", "id");
create index "images__optionValueId" on "images" ("brand", "optionValueId", "id");
create index "images__materialId" on "images" ("brand", "materialId", "id");
create index "images__materialVariantId" on "images" ("brand", "materialVariantId", "id");
create index "images__sampleRoundId" on "images" ("brand", "sampleRoundId", "id");
create index "images__goodsReceiptId" on "images" ("brand", "goodsReceiptId", "id");
create index "images__kind" on "images" ("brand", "kind", "id");
create index "images__mimeType" on "images" ("brand", "mimeType", "id");
create table "notes" (
  "brand" text not null,
  "id" text not null,
  "partnerId" text,
  "supplierId" text,
  "productId" text,
  "materialId" text,
  "sampleId" text,
  "orderId" text,
  "productionRunId" text,
  "shipmentId" text,
  "invoiceId" text,
  "visibility" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "notes__partnerId" on "notes" ("brand", "partnerId", "id");
create index "notes__supplierId" on "notes" ("brand", "supplierId", "id");
create index "notes__productId" on "notes" ("brand", "productId", "id");
create index "notes__materialId" on "notes" ("brand", "materialId", "id");
create index "notes__sampleId" on "notes" ("brand", "sampleId", "id");
create index "notes__orderId" on "notes" ("brand", "orderId", "id");
create index "notes__productionRunId" on "notes" ("brand", "productionRunId", "id");
create index "notes__shipmentId" on "notes" ("brand", "shipmentId", "id");
create index "notes__invoiceId" on "notes" ("brand", "invoiceId", "id");
create index "notes__visibility" on "notes" ("brand", "visibility", "id");
create table "materials" (
  "brand" text not null,
  "id" text not null,
  "categoryId" text,
  "supplierId" text,
  "code" text,
  "name" text,
  "kind" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "materials__categoryId" on "materials" ("brand", "categoryId", "id");
create index "materials__supplierId" on "materials" ("brand", "supplierId", "id");
create index "materials__code" on "materials" ("brand", "code", "id");
create index "materials__name" on "materials" ("brand", "name", "id");
create index "materials__kind" on "materials" ("brand", "kind", "id");
create index "materials__status" on "materials" ("brand", "status", "id");
create table "material_variants" (
  "brand" text not null,
  "id" text not null,
  "materialId" text,
  "colorId" text,
  "code" text,
  "name" text,
  "status" text,
  "supplierReference" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "material_variants__materialId" on "material_variants" ("brand", "materialId", "id");
create index "material_variants__colorId" on "material_variants" ("brand", "colorId", "id");
create index "material_variants__code" on "material_variants" ("brand", "code", "id");
create index "material_variants__name" on "material_variants" ("brand", "name", "id");
create index "material_variants__status" on "material_variants" ("brand", "status", "id");
create index "material_variants__supplierReference" on "material_variants" ("brand", "supplierReference", "id");
create table "categories" (
  "brand" text not null,
  "id" text not null,
  "parentCategoryId" text,
  "kind" text,
  "code" text,
  "name" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "categories__parentCategoryId" on "categories" ("brand", "parentCategoryId", "id");
create index "categories__kind" on "categories" ("brand", "kind", "id");
create index "categories__code" on "categories" ("brand", "code", "id");
create index "categories__name" on "categories" ("brand", "name", "id");
create table "collections" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "season" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "collections__code" on "collections" ("brand", "code", "id");
create index "collections__name" on "collections" ("brand", "name", "id");
create index "collections__season" on "collections" ("brand", "season", "id");
create index "collections__status" on "collections" ("brand", "status", "id");
create table "launch_windows" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "channel" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "launch_windows__code" on "launch_windows" ("brand", "code", "id");
create index "launch_windows__name" on "launch_windows" ("brand", "name", "id");
create index "launch_windows__channel" on "launch_windows" ("brand", "channel", "id");
create index "launch_windows__status" on "launch_windows" ("brand", "status", "id");
create table "tags" (
  "brand" text not null,
  "id" text not null,
  "name" text,
  "code" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "tags__name" on "tags" ("brand", "name", "id");
create index "tags__code" on "tags" ("brand", "code", "id");
create table "colors" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "family" text,
  "status" text,
  "standardReference" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "colors__code" on "colors" ("brand", "code", "id");
create index "colors__name" on "colors" ("brand", "name", "id");
create index "colors__family" on "colors" ("brand", "family", "id");
create index "colors__status" on "colors" ("brand", "status", "id");
create index "colors__standardReference" on "colors" ("brand", "standardReference", "id");
create table "options" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "options__code" on "options" ("brand", "code", "id");
create index "options__name" on "options" ("brand", "name", "id");
create index "options__status" on "options" ("brand", "status", "id");
create table "option_values" (
  "brand" text not null,
  "id" text not null,
  "optionId" text,
  "name" text,
  "code" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "option_values__optionId" on "option_values" ("brand", "optionId", "id");
create index "option_values__name" on "option_values" ("brand", "name", "id");
create index "option_values__code" on "option_values" ("brand", "code", "id");
create index "option_values__status" on "option_values" ("brand", "status", "id");
create table "dimensions" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimensions__code" on "dimensions" ("brand", "code", "id");
create index "dimensions__name" on "dimensions" ("brand", "name", "id");
create index "dimensions__status" on "dimensions" ("brand", "status", "id");
create table "dimension_values" (
  "brand" text not null,
  "id" text not null,
  "dimensionId" text,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimension_values__dimensionId" on "dimension_values" ("brand", "dimensionId", "id");
create index "dimension_values__code" on "dimension_values" ("brand", "code", "id");
create index "dimension_values__name" on "dimension_values" ("brand", "name", "id");
create index "dimension_values__status" on "dimension_values" ("brand", "status", "id");
create table "dimension_groups" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimension_groups__code" on "dimension_groups" ("brand", "code", "id");
create index "dimension_groups__name" on "dimension_groups" ("brand", "name", "id");
create index "dimension_groups__status" on "dimension_groups" ("brand", "status", "id");
create table "dimension_group_dimensions" (
  "brand" text not null,
  "dimensionGroupId" text not null,
  "dimensionId" text not null,
  "body" text not null,
  primary key ("brand", "dimensionGroupId", "dimensionId")
) without rowid;
create index "dimension_group_dimensions__dimensionId" on "dimension_group_dimensions" ("brand", "dimensionId", "dimensionGroupId");
create table "dimension_curves" (
  "brand" text not null,
  "id" text not null,
  "dimensionGroupId" text,
  "code" text,
  "name" text,
  "kind" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimension_curves__dimensionGroupId" on "dimension_curves" ("brand", "dimensionGroupId", "id");
create index "dimension_curves__code" on "dimension_curves" ("brand", "code", "id");
create index "dimension_curves__name" on "dimension_curves" ("brand", "name", "id");
create index "dimension_curves__kind" on "dimension_curves" ("brand", "kind", "id");
create index "dimension_curves__status" on "dimension_curves" ("brand", "status", "id");
create table "dimension_curve_axes" (
  "brand" text not null,
  "id" text not null,
  "curveId" text,
  "dimensionId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimension_curve_axes__curveId" on "dimension_curve_axes" ("brand", "curveId", "id");
create index "dimension_curve_axes__dimensionId" on "dimension_curve_axes" ("brand", "dimensionId", "id");
create table "dimension_curve_axis_values" (
  "brand" text not null,
  "id" text not null,
  "axisId" text,
  "dimensionValueId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimension_curve_axis_values__axisId" on "dimension_curve_axis_values" ("brand", "axisId", "id");
create index "dimension_curve_axis_values__dimensionValueId" on "dimension_curve_axis_values" ("brand", "dimensionValueId", "id");
create table "dimension_curve_cells" (
  "brand" text not null,
  "id" text not null,
  "curveId" text,
  "rowAxisValueId" text,
  "columnAxisValueId" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "dimension_curve_cells__curveId" on "dimension_curve_cells" ("brand", "curveId", "id");
create index "dimension_curve_cells__rowAxisValueId" on "dimension_curve_cells" ("brand", "rowAxisValueId", "id");
create index "dimension_curve_cells__columnAxisValueId" on "dimension_curve_cells" ("brand", "columnAxisValueId", "id");
create table "checklists" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "kind" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "checklists__code" on "checklists" ("brand", "code", "id");
create index "checklists__name" on "checklists" ("brand", "name", "id");
create index "checklists__kind" on "checklists" ("brand", "kind", "id");
create index "checklists__status" on "checklists" ("brand", "status", "id");
create table "packing_templates" (
  "brand" text not null,
  "id" text not null,
  "cartonSizeId" text,
  "dimensionCurveId" text,
  "code" text,
  "name" text,
  "method" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "packing_templates__cartonSizeId" on "packing_templates" ("brand", "cartonSizeId", "id");
create index "packing_templates__dimensionCurveId" on "packing_templates" ("brand", "dimensionCurveId", "id");
create index "packing_templates__code" on "packing_templates" ("brand", "code", "id");
create index "packing_templates__name" on "packing_templates" ("brand", "name", "id");
create index "packing_templates__method" on "packing_templates" ("brand", "method", "id");
create index "packing_templates__status" on "packing_templates" ("brand", "status", "id");
create table "carton_sizes" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "carton_sizes__code" on "carton_sizes" ("brand", "code", "id");
create index "carton_sizes__name" on "carton_sizes" ("brand", "name", "id");
create index "carton_sizes__status" on "carton_sizes" ("brand", "status", "id");
create table "couriers" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "kind" text,
  "scacCode" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "couriers__code" on "couriers" ("brand", "code", "id");
create index "couriers__name" on "couriers" ("brand", "name", "id");
create index "couriers__kind" on "couriers" ("brand", "kind", "id");
create index "couriers__scacCode" on "couriers" ("brand", "scacCode", "id");
create index "couriers__status" on "couriers" ("brand", "status", "id");
create table "payment_terms" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "payment_terms__code" on "payment_terms" ("brand", "code", "id");
create index "payment_terms__name" on "payment_terms" ("brand", "name", "id");
create index "payment_terms__status" on "payment_terms" ("brand", "status", "id");
create table "units_of_measure" (
  "brand" text not null,
  "id" text not null,
  "code" text,
  "name" text,
  "type" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "units_of_measure__code" on "units_of_measure" ("brand", "code", "id");
create index "units_of_measure__name" on "units_of_measure" ("brand", "name", "id");
create index "units_of_measure__type" on "units_of_measure" ("brand", "type", "id");
create table "countries" (
  "brand" text not null,
  "code" text not null,
  "name" text,
  "body" text not null,
  primary key ("brand", "code")
) without rowid;
create index "countries__name" on "countries" ("brand", "name", "code");
create table "custom_field_definitions" (
  "brand" text not null,
  "id" text not null,
  "entity" text,
  "key" text,
  "dataType" text,
  "status" text,
  "body" text not null,
  primary key ("brand", "id")
) without rowid;
create index "custom_field_definitions__entity" on "custom_field_definitions" ("brand", "entity", "id");
create index "custom_field_definitions__key" on "custom_field_definitions" ("brand", "key", "id");
create index "custom_field_definitions__dataType" on "custom_field_definitions" ("brand", "dataType", "id");
create index "custom_field_definitions__status" on "custom_field_definitions" ("brand", "status", "id");
