/** The path of the findings of rule checks, below the base path of the query API. */
export const qualityPath = '/brands/{brand}/quality'
export const qualityOperation = 'queryQuality'
