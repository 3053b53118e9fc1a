export {
  feedParameters,
  getParameters,
  idParameter,
  type ListParameters,
  listParameters,
  pathIdParameter,
} from './parameters.ts'
export { cut, nearest, type ParameterProblem, refuseProblems } from './query.ts'
export { asApiError, notFound } from './refusal.ts'
export { wrongPath } from './wrong-path.ts'
