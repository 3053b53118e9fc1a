/** The path of what checks of the rules have found, below the base path of the query API. */
export const qualityPath = '/brands/{brand}/quality'
export const qualityOperation = 'quality'
