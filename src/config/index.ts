export {
  type Config,
  ConfigError,
  type Environment,
  givenSettings,
  isLocal,
  readConfig,
  type Setting,
  secretFiles,
  settings,
  type UnknownSetting,
  unknownSettings,
} from './config.ts'
export { programEnvironment } from './program-environment.ts'
export { releaseOf } from './release.ts'
export { keyIn, operatorProblem } from './values.ts'
export { expandVariable } from './variables.ts'
