// What a launch costs: the call, the round trip, kernels in a stream one after another, and the same in a graph.
#include "common.cuh"

__global__ void count(unsigned* counter) { atomicAdd(counter, 1u); }  // one thread

__global__ void hold(unsigned long long cycles) {
  unsigned long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

int main() {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Buffer<unsigned> counter(1);
  unsigned long long launched = 0;
  counter.put({0});
  auto one = [&] {
    count<<<1, 1, 0, stream>>>(counter.data);
    launched++;
  };
  auto settle = [&](const char* what) {
    CUDA(cudaGetLastError());
    CUDA(cudaStreamSynchronize(stream));
    unsigned got = counter.get()[0];
    require(got == unsigned(launched), "%s: %u kernels ran, not %llu", what, got, launched);
  };
  double until = now_ms() + 300;
  while (now_ms() < until) {
    one();
    CUDA(cudaStreamSynchronize(stream));
  }
  settle("warm-up");

  constexpr int TRIPS = 500, MANY = 1000, SOME = 500;
  std::vector<double> trip, call, batch, device, graph_all, graph_call, graph_device, graph_one;
  for (int round = 0; round < 21; round++) {
    double t = now_ms();
    for (int i = 0; i < TRIPS; i++) {
      one();
      CUDA(cudaStreamSynchronize(stream));
    }
    trip.push_back((now_ms() - t) / TRIPS * 1e3);
    settle("round trips");

    t = now_ms();
    for (int i = 0; i < SOME; i++) one();  // fewer than the queue holds, so no call waits for the device
    call.push_back((now_ms() - t) / SOME * 1e3);
    settle("calls");

    t = now_ms();
    for (int i = 0; i < MANY; i++) one();
    CUDA(cudaStreamSynchronize(stream));
    batch.push_back((now_ms() - t) / MANY * 1e3);
    settle("a batch");
  }
  report("call", call, "us", text("CPU time of one <<<1, 1>>>, %d in a row, no wait", SOME));
  report("round_trip", trip, "us", "launch one one-thread kernel and wait for it");

  // The same trip with an event behind the kernel: the host thread spins on it, or sleeps until the driver wakes it.
  for (bool sleeps : {false, true}) {
    cudaEvent_t done;
    CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming | (sleeps ? cudaEventBlockingSync : 0)));
    std::vector<double> waited;
    for (int round = 0; round < 21; round++) {
      double t = now_ms();
      for (int i = 0; i < TRIPS; i++) {
        one();
        CUDA(cudaEventRecord(done, stream));
        CUDA(cudaEventSynchronize(done));
      }
      waited.push_back((now_ms() - t) / TRIPS * 1e3);
      settle("trips to an event");
    }
    CUDA(cudaEventDestroy(done));
    report(sleeps ? "round_trip_blocking" : "round_trip_event", waited, "us",
           text("launch one one-thread kernel, record an event, wait for it: %s",
                sleeps ? "cudaEventBlockingSync, the thread sleeps" : "the thread spins"));
  }
  report("stream", batch, "us", text("a kernel, of %d one-thread kernels in one stream and one wait, wall clock", MANY));

  // On the device alone: the kernels are already queued behind one that holds the stream.
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  for (int round = 0; round < 15; round++) {
    hold<<<1, 1, 0, stream>>>(12000000);
    CUDA(cudaEventRecord(start, stream));
    for (int i = 0; i < SOME; i++) one();
    CUDA(cudaEventRecord(stop, stream));
    settle("a queued batch");
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    device.push_back(ms / SOME * 1e3);
  }
  report("stream_device", device, "us", text("a kernel, of %d queued behind a long one: device time between events", SOME));

  cudaGraph_t graph;
  cudaGraphExec_t many, single;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < MANY; i++) count<<<1, 1, 0, stream>>>(counter.data);
  CUDA(cudaStreamEndCapture(stream, &graph));
  double t = now_ms();
  CUDA(cudaGraphInstantiate(&many, graph, 0));
  double instantiate = (now_ms() - t) * 1e3 / MANY;
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  count<<<1, 1, 0, stream>>>(counter.data);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&single, graph, 0));
  for (int i = 0; i < 20; i++) {
    CUDA(cudaGraphLaunch(many, stream));
    CUDA(cudaGraphLaunch(single, stream));
    launched += MANY + 1;
    settle("the first graphs");
  }
  for (int round = 0; round < 21; round++) {
    t = now_ms();
    CUDA(cudaGraphLaunch(many, stream));
    double called = now_ms();
    CUDA(cudaStreamSynchronize(stream));
    graph_all.push_back((now_ms() - t) / MANY * 1e3);
    graph_call.push_back((called - t) * 1e3);
    launched += MANY;
    settle("a graph");

    hold<<<1, 1, 0, stream>>>(8000000);
    CUDA(cudaEventRecord(start, stream));
    CUDA(cudaGraphLaunch(many, stream));
    CUDA(cudaEventRecord(stop, stream));
    launched += MANY;
    settle("a queued graph");
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    graph_device.push_back(ms / MANY * 1e3);

    t = now_ms();
    for (int i = 0; i < 100; i++) {
      CUDA(cudaGraphLaunch(single, stream));
      CUDA(cudaStreamSynchronize(stream));
    }
    graph_one.push_back((now_ms() - t) / 100 * 1e3);
    launched += 100;
    settle("graphs of one");
  }
  report("graph", graph_all, "us", text("a kernel, of a graph of %d one-thread kernels in a chain, one launch and one wait, wall clock", MANY));
  report("graph_device", graph_device, "us", text("a kernel, of the same graph queued behind a long kernel: device time between events"));
  report("graph_call", graph_call, "us", text("CPU time of launching the graph of %d kernels", MANY));
  report("graph_round_trip", graph_one, "us", "launch a graph of one kernel and wait for it");
  report("graph_instantiate", {instantiate}, "us", text("a kernel, to instantiate the graph of %d, once", MANY));
}
