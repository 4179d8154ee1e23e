// Lets an external plugin import `agent-orchestrator`: it gets the ao that loads it, so nothing has to be installed beside it.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const isBuilt = !import.meta.url.endsWith('.ts')
const OWN_MODULES: ReadonlyMap<string, string> = new Map([
  ['agent-orchestrator', isBuilt ? './index.js' : '../index.ts'],
  ['agent-orchestrator/plugin', isBuilt ? './plugin.js' : '../plugin.ts'],
])
const offered = new Set<string>()

/** Only files below `root` are answered so; everything else is found as always. */
export function offerOwnModules(root: string): void {
  const base = `${pathToFileURL(root).href}/`
  if (offered.has(base)) return
  offered.add(base)
  registerHooks({
    resolve(specifier, context, next) {
      const own = context.parentURL?.startsWith(base) ? OWN_MODULES.get(specifier) : undefined
      return own === undefined
        ? next(specifier, context)
        : { url: new URL(own, import.meta.url).href, shortCircuit: true }
    },
  })
}
