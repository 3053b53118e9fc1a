export {
  type Config,
  ConfigError,
  type Environment,
  misspeltSettings,
  readConfig,
  type Setting,
  settings,
} from './config.ts'
export { releaseOf } from './release.ts'
export { keyIn } from './values.ts'
export { expandVariable } from './variables.ts'
