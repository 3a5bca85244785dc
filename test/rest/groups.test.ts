/** The field `group` of the REST APIs: the key of a job in the group of its type. */
import { expect, it } from 'vitest'
import { describeServer } from '../support/server.ts'

describeServer('group in the REST APIs', (startServer) => {
  it.each([
    ['/api/queue', { type: 'sync', data: {} }],
    ['/v1/messages', { topic: 'sync', body: 'hello' }],
    ['/api/tasks', { type: 'sync', payload: {} }],
  ])('%s stores the key, and rejects one that is not a string', async (path, body) => {
    const { url, engine } = await startServer()
    const post = (more: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...more }),
      })
    expect((await post({ group: 'tenant-42' })).status).toBe(201)
    expect((await post({})).status).toBe(201)
    const { jobs } = await engine.list({ sort: 'oldest' })
    expect(jobs.map(({ groupName, groupKey }) => [groupName, groupKey])).toEqual([
      ['sync', 'tenant-42'],
      [null, null],
    ])
    for (const group of [42, '']) {
      const refused = await post({ group })
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('group')])
    }
    expect((await engine.counts()).pending).toBe(2)
  })
})
