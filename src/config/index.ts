export {
  type Checks,
  type Config,
  ConfigRefused,
  type Environment,
  keyIn,
  readConfig,
  type Setting,
  settings,
} from './config.ts'
