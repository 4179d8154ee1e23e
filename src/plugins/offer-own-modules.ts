// Lets an external plugin import `ao-fleet` and `zod`: it gets those of the ao that loads it, so nothing has to be
// installed next to it.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const isBuilt = !import.meta.url.endsWith('.ts')
const MAIN = isBuilt ? './index.js' : '../index.ts'
const PLUGIN = isBuilt ? './plugin.js' : '../plugin.ts'
const OWN_MODULES: ReadonlyMap<string, string> = new Map([
  ['ao-fleet', MAIN],
  ['ao-fleet/plugin', PLUGIN],
  // The package's former name, which plugins may still use; on npm it belongs to somebody else.
  ['agent-orchestrator', MAIN],
  ['agent-orchestrator/plugin', PLUGIN],
])
/** Our packages that a plugin may use when it brings none itself. */
const LENT_PACKAGES = /^zod(\/|$)/
const offered = new Set<string>()

/** Only for files below `root`; everything else resolves as usual. */
export function offerOwnModules(root: string): void {
  const base = `${pathToFileURL(root).href}/`
  if (offered.has(base)) return
  offered.add(base)
  registerHooks({
    resolve(specifier, context, next) {
      if (!context.parentURL?.startsWith(base)) return next(specifier, context)
      const own = OWN_MODULES.get(specifier)
      if (own !== undefined) return { url: new URL(own, import.meta.url).href, shortCircuit: true }
      if (!LENT_PACKAGES.test(specifier)) return next(specifier, context)
      try {
        return next(specifier, context)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
        return next(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
}
