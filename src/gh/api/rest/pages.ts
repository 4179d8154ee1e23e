// `per_page`, `page` and the `Link` header.

import { apiOrigin } from '../../describe/names.ts'
import type { Gh } from '../../open-gh.ts'
import { type ApiAnswer, ApiError } from '../answer.ts'
import type { ApiRequest } from '../request.ts'

const MOST_PER_PAGE = 100

/** A list may be the body itself or one of its keys, beside `total_count`. */
export function readPage(answer: ApiAnswer, { query, path }: ApiRequest, gh: Gh): ApiAnswer {
  const size = Math.min(MOST_PER_PAGE, whole(query.get('per_page'), 30, 'per_page'))
  const page = whole(query.get('page'), 1, 'page')
  const [key, list] = listOf(answer.body)
  const some = list.slice((page - 1) * size, page * size)
  const body = key === null ? some : { ...(answer.body as object), [key]: some }
  const last = Math.max(1, Math.ceil(list.length / size))
  const address = (number: number) => {
    const all = new URLSearchParams([...query, ['per_page', String(size)], ['page', String(number)]])
    return `<${apiOrigin(gh.forge)}/${path}?${all}>`
  }
  const links = [
    ...(page > 1 ? [`${address(page - 1)}; rel="prev"`] : []),
    ...(page < last ? [`${address(page + 1)}; rel="next"`, `${address(last)}; rel="last"`] : []),
  ]
  return { ...answer, body, headers: links.length === 0 ? {} : { link: links.join(', ') } }
}

function listOf(body: unknown): [key: string | null, list: unknown[]] {
  if (Array.isArray(body)) return [null, body]
  const entry = Object.entries(body as object).find(([, value]) => Array.isArray(value))
  return [entry![0], entry![1] as unknown[]]
}

function whole(value: string | undefined, fallback: number, name: string): number {
  if (value === undefined) return fallback
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new ApiError(422, `${name} must be a positive number`)
}
