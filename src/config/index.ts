export {
  type Checks,
  type Config,
  ConfigRefused,
  type Environment,
  keyIn,
  readConfig,
  type Setting,
  settings,
  slowParts,
} from './config.ts'
