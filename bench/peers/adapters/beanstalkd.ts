/** beanstalkd: one pipelined connection per tube for producers, one connection per slot of the worker. */
import { type Adapter, Countdown, type Handle, type Lane } from '../system.ts'
import { BeanstalkdConnection } from './beanstalkd-connection.ts'

export const openBeanstalkd: Adapter = async (address, payload) => {
  const lanes: Readonly<Record<Lane, BeanstalkdConnection>> = {
    enqueue: await openProducer(address, 'enqueue'),
    work: await openProducer(address, 'work'),
  }
  return {
    enqueue: (lane) => lanes[lane].put(JSON.stringify(payload)),
    async enqueueMany(lane, jobs) {
      const puts: Promise<unknown>[] = []
      const connection = lanes[lane]
      connection.together(() => {
        for (let n = 0; n < jobs; n++) puts.push(connection.put(JSON.stringify(payload)))
      })
      await Promise.all(puts)
    },
    async work(concurrency, handle) {
      const done = new Countdown()
      const slots = await Promise.all(Array.from({ length: concurrency }, () => openSlot(address)))
      for (const slot of slots) void runSlot(slot, handle, done)
      return {
        finished: (jobs) => done.reached(jobs),
        async stop() {
          for (const slot of slots) slot.close()
        },
      }
    },
    async left(lane) {
      const { body } = await lanes[lane].send(`stats-tube ${lane}`, 'OK')
      const states = ['ready', 'reserved', 'delayed', 'buried']
      return states.reduce((sum, state) => sum + Number(new RegExp(`jobs-${state}: (\\d+)`).exec(body ?? '')?.[1]), 0)
    },
    async close() {
      for (const lane of Object.values(lanes)) lane.close()
    },
  }
}

async function openProducer(address: string, lane: Lane): Promise<BeanstalkdConnection> {
  const connection = await BeanstalkdConnection.open(address)
  await connection.send(`use ${lane}`, 'USING')
  return connection
}

async function openSlot(address: string): Promise<BeanstalkdConnection> {
  const connection = await BeanstalkdConnection.open(address)
  await connection.send('watch work', 'WATCHING')
  await connection.send('ignore default', 'WATCHING')
  return connection
}

/** Deletes a job and reserves the next one in one packet; ends when the connection is closed. */
async function runSlot(slot: BeanstalkdConnection, handle: Handle, done: Countdown): Promise<void> {
  let reserved = slot.send('reserve', 'RESERVED')
  for (;;) {
    const { fields, body } = await reserved
    const id = fields[0] ?? ''
    JSON.parse(body ?? '')
    handle(id)
    slot.together(() => {
      slot.send(`delete ${id}`, 'DELETED').then(
        () => done.add(),
        (error) => process.stderr.write(`beanstalkd: ${error}\n`),
      )
      reserved = slot.send('reserve', 'RESERVED')
    })
  }
}
