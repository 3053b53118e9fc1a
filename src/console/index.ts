export {
  type AdminPage,
  assetsPath,
  type BuiltFile,
  type Console,
  type ConsoleFile,
  createAdminPage,
  createConsole,
  guidesPath,
  isConsoleBuilt,
  referencePath,
} from './site.ts'
