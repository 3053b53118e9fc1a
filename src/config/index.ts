export {
  type Checks,
  type Config,
  ConfigRefused,
  type Environment,
  readConfig,
  type Setting,
  settings,
  slowParts,
} from './config.ts'
