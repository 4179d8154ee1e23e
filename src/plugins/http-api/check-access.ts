// Can ao work with this repository on this forge? One request covers the token, its permissions and the repository.
import { AoError, errorText } from '../../contract/errors.ts'
import type { ForgeRow } from '../../contract/forges.ts'
import { hostOfApi } from '../../core/forge/decide-forge.ts'
import type { AccessReport } from '../../slots/scm.ts'
import { hasStatus } from './http-api-error.ts'

export interface AccessQuestion {
  forge: ForgeRow
  apiUrl: string
  /** As the forge calls it. */
  repo: string
}

export interface Access {
  /** null: the forge does not say. */
  mayWrite: boolean | null
  /** null: the forge does not say, or nothing is missing. */
  missing: string | null
}

/** Never throws: the report says what went wrong. */
export async function checkAccess(question: AccessQuestion, ask: () => Promise<Access>): Promise<AccessReport> {
  const { forge, apiUrl, repo } = question
  const where = `${repo} on ${hostOfApi(forge, apiUrl)}`
  try {
    const { mayWrite, missing } = await ask()
    if (missing !== null) return { ok: false, detail: `the token lacks ${missing} for ${where}`, fix: newToken(forge) }
    if (mayWrite === false) {
      return { ok: false, detail: `the token may read ${where}, but not write`, fix: newToken(forge) }
    }
    return { ok: true, detail: `the token is good for ${where}` }
  } catch (error) {
    return { ok: false, ...explain(error, question, where) }
  }
}

function explain(
  error: unknown,
  { forge, apiUrl }: AccessQuestion,
  where: string,
): { detail: string; fix?: string | undefined } {
  const host = hostOfApi(forge, apiUrl)
  if (hasStatus(error, 401)) return { detail: `${host} refused the token (401)`, fix: newToken(forge) }
  if (hasStatus(error, 404)) {
    return { detail: `${where} does not exist, or the token may not see it (404)`, fix: newToken(forge) }
  }
  if (hasStatus(error, 403)) return { detail: `${host} forbids it (403): ${error.reason}`, fix: newToken(forge) }
  return { detail: errorText(error), fix: error instanceof AoError ? error.hint : undefined }
}

function newToken(forge: ForgeRow): string {
  return `Set ${forge.tokenVariables[0]} to a token with ${forge.tokenScope}; ${forge.hostVariables[0]} names a server of your own`
}
