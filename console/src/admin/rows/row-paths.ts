/** What has changed after rows were discarded: their list, the correction files, and the brands. */
export const rowPaths = ['/rows', '/rows/corrections', '/brands'] as const
