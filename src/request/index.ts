export { notFound, toApiError } from './api-error.ts'
export {
  feedParameters,
  getParameters,
  idParameter,
  type ListParameters,
  listParameters,
  pathIdParameter,
} from './parameters.ts'
export { cut, nearest, type ParameterProblem, rejectProblems } from './query-string.ts'
export { wrongPath } from './wrong-path.ts'
