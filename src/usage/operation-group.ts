import {
  catalog,
  documentOperationsOf,
  gridOperationsOf,
  lineageOperationsOf,
  operationsOf,
  queryOperationsOf,
  scorecardOperationsOf,
  summaryOperationsOf,
} from '#contract'

/** The group that an operation reads; null if it reads several, or none. */
export const groupOfOperation = (operation: string): string | null => groups.get(operation) ?? null

const groups: ReadonlyMap<string, string> = new Map(
  [
    ...operationsOf(catalog),
    ...queryOperationsOf(catalog),
    ...queryOperationsOf(catalog).map(({ id, resource }) => ({
      id: id.replace('query', 'download'),
      resource,
    })),
    ...summaryOperationsOf(catalog),
    ...documentOperationsOf(catalog),
    ...scorecardOperationsOf(catalog),
    ...gridOperationsOf(catalog),
    ...lineageOperationsOf(catalog),
  ].map(({ id, resource }) => [id, resource.path]),
)
