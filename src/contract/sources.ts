/** The paths of a brand's record sources, below the base path of the query API. */
export const sourcesPath = '/brands/{brand}/sources'
export const sourcesOperation = 'querySources'

/** The last units of work of the sources: batches, files and rounds of a sync. */
export const sourceUnitsPath = `${sourcesPath}/units`
export const sourceUnitsOperation = 'querySourceUnits'

/** The rows that wait beside the records, because they cannot be stored now. */
export const sourceRowsPath = `${sourcesPath}/rows`
export const sourceRowsOperation = 'querySourceRows'

/** Items of a page of units or rows. A row can have 20 problems. */
export const sourcePageSize = { minimum: 1, maximum: 50, default: 20 } as const
