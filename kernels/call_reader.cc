#include "kernels/call_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace bytegate {

int64_t CallReader::scalar(std::string_view name) {
  for (uint64_t i = 0; i < call_.num_scalars; ++i) {
    if (name == call_.scalars[i].name) return call_.scalars[i].value;
  }
  fail("scalar " + std::string(name) + " is missing");
  return 0;
}

const DLTensor* CallReader::find(std::string_view name) const {
  for (uint64_t i = 0; i < call_.num_tensors; ++i) {
    if (name == call_.tensors[i].name) return call_.tensors[i].tensor;
  }
  return nullptr;
}

const DLTensor* CallReader::tensor(std::string_view name, int rank, int bits) {
  const DLTensor* tensor = find(name);
  if (tensor == nullptr) fail("tensor " + std::string(name) + " is missing");
  return checked(tensor, name, rank, bits);
}

const DLTensor* CallReader::integer_tensor(std::string_view name, int rank) {
  const DLTensor* tensor = find(name);
  const bool is_int64 = tensor != nullptr && tensor->dtype.bits == 64;
  return this->tensor(name, rank, is_int64 ? 64 : 32);
}

const DLTensor* CallReader::optional_tensor(std::string_view name, int rank, int bits) {
  return checked(find(name), name, rank, bits);
}

const DLTensor* CallReader::checked(const DLTensor* tensor, std::string_view name, int rank,
                                    int bits) {
  if (tensor == nullptr) return nullptr;
  if (tensor->ndim != rank) {
    fail(std::string(name) + " has rank " + std::to_string(tensor->ndim) + ", must have " +
         std::to_string(rank));
    return nullptr;
  }
  if (tensor->dtype.code != kDLInt || tensor->dtype.bits != bits || tensor->dtype.lanes != 1) {
    fail(std::string(name) + " must be int" + std::to_string(bits));
    return nullptr;
  }
  if (tensor->device.device_type != call_.device.device_type) {
    fail(std::string(name) + " is on another device than the call");
    return nullptr;
  }
  return tensor;
}

int32_t* CallReader::contiguous_int32(const DLTensor* tensor, std::string_view name) {
  if (tensor == nullptr) return nullptr;
  int64_t stride = 1;
  for (int axis = tensor->ndim - 1; axis >= 0; --axis) {
    if (tensor->shape[axis] > 1 && tensor->strides != nullptr && tensor->strides[axis] != stride) {
      fail(std::string(name) + " must be contiguous");
      return nullptr;
    }
    stride *= tensor->shape[axis];
  }
  return static_cast<int32_t*>(tensor->data);
}

int32_t* CallReader::contiguous_int32(const DLTensor* tensor, std::string_view name,
                                      int64_t count) {
  if (tensor != nullptr && tensor->shape[0] != count) {
    fail(std::string(name) + " has " + std::to_string(tensor->shape[0]) + " elements, must have " +
         std::to_string(count));
    return nullptr;
  }
  return contiguous_int32(tensor, name);
}

void CallReader::fail(std::string message) {
  if (!error_) error_ = std::move(message);
}

int32_t CallReader::report(int32_t status, std::string_view message) {
  if (call_.message != nullptr && call_.message_bytes > 0) {
    const size_t length = std::min<size_t>(message.size(), call_.message_bytes - 1);
    std::memcpy(call_.message, message.data(), length);
    call_.message[length] = '\0';
  }
  return status;
}

void CallReader::add_section(const bytegate_workspace_section& section) {
  constexpr size_t kNeeded = offsetof(bytegate_call, num_sections) + sizeof(call_.num_sections);
  if (call_.struct_bytes < kNeeded || call_.sections == nullptr) return;
  if (call_.num_sections < call_.max_sections) {
    call_.sections[call_.num_sections++] = section;
  } else {
    call_.sections = nullptr;
    call_.num_sections = 0;
  }
}

int32_t CallReader::report_invalid() {
  return report(BYTEGATE_INVALID_ARGUMENT, error_.value_or("no error"));
}

}  // namespace bytegate
