export {
  type Checks,
  type Config,
  ConfigError,
  type Environment,
  keyIn,
  readConfig,
  type Setting,
  settings,
} from './config.ts'
export { releaseOf } from './release.ts'
