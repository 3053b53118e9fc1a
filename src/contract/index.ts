export {
  type AmountCurrency,
  currencyCollections,
  currencyOf,
  type ReferenceStep,
  type ValuePath,
} from './amount-currency.ts'
export {
  addDays,
  currentDay,
  dayIn,
  daysBetween,
  isTimezone,
  mondayOf,
  startOfDay,
  weekOf,
  zonedDays,
  zoneOffsetAt,
} from './calendar.ts'
export { canonicalRecord } from './canonical.ts'
export { type CanonicalScanner, compileCanonicalScanner } from './canonical-json.ts'
export {
  type Catalog,
  catalog,
  definitions,
  type RecordAt,
  type ResourceName,
  type ResourcePath,
  resourceAt,
  type Sound,
} from './catalog.ts'
export { checkRecord, type Problem } from './check.ts'
export {
  boundsCheck,
  type CheckMode,
  type Checks,
  checkModeOf,
  checkModes,
  checkNamesOf,
  newChecks,
} from './checks.ts'
export {
  addInvalid,
  type CodedField,
  type CodeRule,
  codedFields,
  codeRules,
  compileCodeCheck,
  type InvalidCode,
} from './codes.ts'
export {
  type Comparison,
  type Condition,
  type ConditionValue,
  conditionCollections,
  mapValues,
} from './condition.ts'
export {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  formatUnits,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
  plainDecimal,
  roundToSame,
  signOf,
  sumAmounts,
  trimPlaces,
} from './decimal.ts'
export { describeField, formatCount, inWords } from './describe.ts'
export { type FieldChange, fieldChanges, mergeRecord } from './difference.ts'
export type {
  AmountSource,
  DateSource,
  DeadlineDefinition,
  DocumentCondition,
  DocumentDefinition,
  DocumentPath,
  DocumentStep,
  FigureSum,
  GoodsSource,
  RowFigures,
  SectionDefinition,
  StageDefinition,
} from './documents/document.ts'
export {
  documentCollections,
  documentLimits,
  documentOperationsOf,
  documents,
} from './documents/documents.ts'
export { activeInvoice } from './documents/pieces.ts'
export {
  scorecardDays,
  scorecardFigures,
  scorecardOrders,
  scoredOrder,
} from './documents/scorecard.ts'
export { ApiError, type ErrorCode, type ErrorExtras, errors } from './errors.ts'
export {
  feedBasePath,
  feedNumberPattern,
  feedOperation,
  feedPageSize,
  feedPageSizePattern,
  feedPath,
  feedVersion,
  parseIdentity,
  writeIdentity,
} from './feed.ts'
export * from './fields.ts'
export { composeText, foldText } from './fold.ts'
export {
  collectionsBehind,
  filteredField,
  type IncomingList,
  importOrder,
  incomingLists,
  incomingOf,
  inImportOrder,
  type Reference,
  type Relation,
  referencesOf,
  relationsOf,
} from './graph.ts'
export {
  type GroupLimits,
  type GroupScope,
  groupNameOf,
  groupNames,
  groupScopeOf,
  groupsOf,
  wholeScope,
} from './group-scope.ts'
export {
  batchesPath,
  batchIdPattern,
  batchOperation,
  batchPath,
  ingestBasePath,
  ingestLimits,
  ingestVersion,
  mapNamePattern,
  sendOperation,
} from './ingest.ts'
export { jsonStringEnd } from './json-string.ts'
export { basePath, contractVersion, limits, patterns } from './limits.ts'
export { type Directions, facts, stageIndexOf, stages } from './lineage.ts'
export type { Edge, LineageRecord, WalkNode } from './lineage-graph.ts'
export {
  filtersIn,
  type LineageReader,
  type PlannedRead,
  relationKey,
  type TruncatedList,
} from './lineage-reads.ts'
export {
  type LineageRelation,
  lineageIncludes,
  lineageRelations,
  relationName,
  relationNamed,
} from './lineage-relations.ts'
export {
  type CollectedLineage,
  collectLineage,
  lineageDirections,
  lineageLimits,
  lineageOperationsOf,
} from './lineage-result.ts'
export {
  type EndReason,
  type LineageEvent,
  type WalkOptions,
  type WalkStart,
  walkBounds,
  walkLineage,
} from './lineage-walk.ts'
export { type Operation, operationsOf } from './operations.ts'
export { qualityOperation, qualityPath } from './quality.ts'
export {
  type CsvDelimiter,
  csvDelimiters,
  type DownloadFormat,
  downloadFormats,
  downloadParametersOf,
  keySeparator,
  type QueryOperation,
  type QueryParameter,
  type QueryParameterKind,
  queryBasePath,
  queryLimits,
  queryOperationsOf,
  queryParametersOf,
  queryVersion,
} from './query.ts'
export {
  conditionWithin,
  includesWithin,
  isNamedWithin,
  type NamedGroups,
  namedGroups,
  never,
  requireGroups,
  requireNamed,
} from './reading-scope.ts'
export { quotedText, recordName } from './record-name.ts'
export {
  type Content,
  type Domain,
  domains,
  type Endpoint,
  type Filter,
  type FilterKind,
  fieldAt,
  type Origin,
  type RecordOf,
  type Resource,
  type Scope,
  type SortableKind,
  type Through,
} from './resource.ts'
export { hasAmounts, isSameByValue, plainRecord } from './same-record.ts'
export {
  errorSchema,
  getQuerySchema,
  listQuerySchema,
  pageSchema,
  recordSchema,
  responseRecordSchema,
  type Schema,
} from './schema.ts'
export { searchLimitPattern, searchLimits, searchOperation, searchPath } from './search.ts'
export {
  sourcePageSize,
  sourceRowsOperation,
  sourceRowsPath,
  sourcesOperation,
  sourcesPath,
  sourceUnitsOperation,
  sourceUnitsPath,
} from './sources.ts'
export {
  ageingGroups,
  comparableFields,
  type Grouping,
  groupItems,
  groupingsMax,
  groupingsOf,
  groupsMax,
  summableFields,
  summaryOperationsOf,
  summaryParametersOf,
} from './summary.ts'
export {
  clockDifferenceMs,
  describeZone,
  probableShift,
  shiftHours,
  zoneShiftMaxMs,
} from './time-ahead.ts'
export {
  comparedDays,
  type FigureDefinition,
  type FirstRecords,
  firstMax,
  todayFigures,
  todayOperation,
  todayPath,
} from './today.ts'
export {
  type SeriesDefinition,
  type SeriesPart,
  seriesParts,
  todaySeries,
} from './today-series.ts'
export { type UniqueKey, uniqueKeysOf } from './unique-key.ts'
export { resolveView, type Today, type View, type ViewParameter } from './view.ts'
