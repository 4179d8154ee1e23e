// Builds a request from the name of a route and its parameters.

interface Filling {
  params?: Record<string, string> | undefined
  query?: Record<string, string | number | boolean | undefined> | undefined
}

/** `GET /api/sessions/:id` with `{ params: { id: 'a/1' } }` → GET, `/api/sessions/a%2F1`. */
export function fillRoute(name: string, { params = {}, query = {} }: Filling = {}): { method: string; path: string } {
  const [method = '', pattern = ''] = name.split(' ')
  const path = pattern.replace(/:([A-Za-z]+)/g, (_, param: string) => encodeURIComponent(params[param] ?? ''))
  const parameters = Object.entries(query).flatMap(
    ([key, value]): Array<[string, string]> => (value === undefined ? [] : [[key, String(value)]]),
  )
  return { method, path: parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}` }
}
