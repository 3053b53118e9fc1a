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
export { type CodeList, countryList, currencyList } from './code-lists.ts'
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
export { currencyDigits } from './currency-digits.ts'
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
  scorecardOperationsOf,
  scorecardParametersOf,
} from './documents/documents.ts'
export {
  type GridDefinition,
  type GridFormat,
  gridCollections,
  gridFormats,
  gridLimits,
  gridOperationsOf,
  grids,
} from './documents/grid.ts'
export { type GridWords, gridWords } from './documents/grid-words.ts'
export {
  calendarCollections,
  calendarLaunches,
  calendarLines,
  calendarOperation,
  calendarOrdersMax,
  calendarPath,
  calendarRuns,
  calendarShipments,
} from './documents/order-calendar.ts'
export { activeInvoice } from './documents/pieces.ts'
export {
  type ScorecardSort,
  scorecardCollections,
  scorecardDays,
  scorecardFigures,
  scorecardOrders,
  scorecardSorts,
  scoredOrder,
  scoredSuppliers,
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
export {
  fieldLabelOf,
  groupTitleOf,
  type LabelLanguage,
  type Labels,
  labelLanguages,
  labelOf,
  loadLabels,
  valueLabelOf,
} from './labels.ts'
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
export type * from './operator.ts'
export {
  type FilePreview,
  type FirstRequest,
  type FirstResponse,
  fileNameHeader,
  type OperatorUpload,
  type PreviewColumn,
  type PreviewRow,
  type UploadChange,
  type UploadChoices,
  type UploadCounts,
  type UploadedFile,
  type UploadJob,
  type UploadJobKind,
  type UploadProblem,
  type UploadProgress,
  type UploadResult,
  uploadJobKinds,
  uploadLimits,
} from './operator-uploads.ts'
export {
  layoutParameters,
  type PublishedView,
  placeParameters,
  publishedViewLimits,
  publishedViewsOperation,
  publishedViewsPath,
  viewName,
  viewNameProblem,
} from './published-view.ts'
export { qualityOperation, qualityPath } from './quality.ts'
export {
  type CsvDelimiter,
  csvDelimiters,
  type DownloadFormat,
  downloadFormats,
  downloadParametersOf,
  keySeparator,
  linksPath,
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
export { quotedText, recordName, subjectGroups } from './record-name.ts'
export { isRelativeDay, relativeDay, resolveDay, resolveDays } from './relative-day.ts'
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
export { baseSuffix, ownConversion, sortsOf, viewDate } from './sort.ts'
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
  type Grouping,
  groupItems,
  groupingsMax,
  groupingsOf,
  groupsMax,
  summaryOperationsOf,
  summaryParametersOf,
} from './summary.ts'
export { comparableFields, summableFields } from './summed-fields.ts'
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
export { trendDays, trendFigures, trendOperation, trendPath } from './trend.ts'
export { type UniqueKey, uniqueKeysOf } from './unique-key.ts'
export { resolveView, type Today, type View, type ViewParameter } from './view.ts'
export { openOrderStatuses } from './views/orders.ts'
export type { Vocabulary } from './vocabulary.ts'
